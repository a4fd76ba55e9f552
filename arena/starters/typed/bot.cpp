// A bot for GAME in C++17 and its standard library. Write `choose`; the rest may stay as it is.

#include <iostream>
#include <numeric>
#include <random>
#include <utility>

#include "game.hpp"

struct Question {
    std::size_t least, most;
    long time;  // milliseconds for the answer
    std::vector<game::Choice> options;
    game::Observation observation;
    std::vector<game::Event> events;
};

std::mt19937_64 dice;

std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice); }

// Pick between `least` and `most` different ones of `options`, by index. Here: any.
//
// `game.hpp` has the types; `arena rules GAME` tells what they mean. Look at things with std::cerr.
std::vector<std::size_t> choose(const Question& question) {
    std::vector<std::size_t> picks(question.options.size());
    std::iota(picks.begin(), picks.end(), 0);
    const std::size_t size = question.least + below(question.most - question.least + 1);
    for (std::size_t i = 0; i < size; i++) std::swap(picks[i], picks[i + below(picks.size() - i)]);
    picks.resize(size);
    return picks;
}

int main() {
    std::ios::sync_with_stdio(false);
    std::string line;
    while (std::getline(std::cin, line)) {
        const game::Json message = game::Json::parse(line);
        const std::string type = message["type"].words();
        if (type == "hello") {
            // a match begins: its seed lets equal questions get equal answers
            dice.seed(static_cast<unsigned long long>(message["seed"].real()));
            std::cout << "{\"type\":\"ready\"}" << std::endl;
        } else if (type == "decide") {
            const Question question{static_cast<std::size_t>(message["least"].integer()),
                                    static_cast<std::size_t>(message["most"].integer()),
                                    message["time"].integer(),
                                    message["options"].as<std::vector<game::Choice>>(),
                                    message["observation"].as<game::Observation>(),
                                    message["events"].as<std::vector<game::Event>>()};
            // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
            std::cout << "{\"type\":\"choose\",\"id\":\"" << message["id"].words() << "\",\"picks\":[";
            const char* comma = "";
            for (const std::size_t pick : choose(question)) {
                std::cout << comma << pick;
                comma = ",";
            }
            std::cout << "]}" << std::endl;
        }
    }
}
