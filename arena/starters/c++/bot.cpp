// A bot: C++17 and its standard library. Write `choose`; the rest may stay as it is.

#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

std::mt19937_64 dice;

std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice); }

// Pick between `least` and `most` different ones of `count` options, by index. Here: any.
//
// `question` is the whole line: options, then what you see, then what happened; question.find("\"step\":\"sale\"")
// finds a field. `arena rules GAME` tells what there is. Look at things with std::cerr.
std::vector<std::size_t> choose(const std::string& /*question*/, std::size_t least, std::size_t most,
                                std::size_t count) {
    std::vector<std::size_t> picks(count);
    std::iota(picks.begin(), picks.end(), 0);
    const std::size_t size = least + below(most - least + 1);
    for (std::size_t i = 0; i < size; i++) std::swap(picks[i], picks[i + below(count - i)]);
    picks.resize(size);
    return picks;
}

// What stands behind a key such as "\"least\":", up to the next of `ends`. The first key of a line is the message's
// own: `arena docs protocol` promises the order of the fields.
std::string value(const std::string& line, const std::string& key, const char* ends = ",}") {
    const std::size_t at = line.find(key);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size();
    return line.substr(begin, line.find_first_of(ends, begin) - begin);
}

std::size_t number(const std::string& line, const std::string& key) { return std::stoull(value(line, key)); }

int main() {
    std::ios::sync_with_stdio(false);
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.rfind("{\"type\":\"hello\",", 0) == 0) {
            dice.seed(number(line, "\"seed\":"));  // a match begins: its seed lets equal questions get equal answers
            std::cout << "{\"type\":\"ready\"}" << std::endl;
        } else if (line.rfind("{\"type\":\"decide\",", 0) == 0) {
            // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
            std::cout << "{\"type\":\"choose\",\"id\":\"" << value(line, "\"id\":\"", "\"") << "\",\"picks\":[";
            const char* comma = "";
            for (const std::size_t pick : choose(line, number(line, "\"least\":"), number(line, "\"most\":"),
                                                 number(line, "\"count\":"))) {
                std::cout << comma << pick;
                comma = ",";
            }
            std::cout << "]}" << std::endl;
        }
    }
}
