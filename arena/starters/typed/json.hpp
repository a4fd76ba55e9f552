#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace game {

// A value of JSON. What is asked for a value of another kind throws.
class Json {
   public:
    enum class Kind { null, truth, number, text, list, object };
    Kind kind = Kind::null;

    static Json parse(const std::string& text) {
        std::size_t at = 0;
        return value(text, at);
    }

    // What stands under a key of an object; null if there is none.
    const Json& operator[](const std::string& key) const {
        static const Json none;
        expect(Kind::object, "an object");
        for (std::size_t i = 0; i < keys.size(); i++)
            if (keys[i] == key) return items[i];
        return none;
    }

    bool truth() const { return expect(Kind::truth, "true or false"), number != 0; }
    double real() const { return expect(Kind::number, "a number"), number; }
    long integer() const { return static_cast<long>(real()); }
    const std::string& words() const { return expect(Kind::text, "a text"), text; }

    // A list of values, and an object's values by their names.
    const std::vector<Json>& list() const { return expect(Kind::list, "an array"), items; }
    const std::vector<std::string>& names() const { return expect(Kind::object, "an object"), keys; }

    // The value as a type for which there is a `read`.
    template <class T>
    T as() const {
        T made{};
        read(*this, made);
        return made;
    }

   private:
    double number = 0;
    std::string text;
    std::vector<std::string> keys;
    std::vector<Json> items;

    void expect(Kind wanted, const char* what) const {
        if (kind != wanted) throw std::runtime_error(std::string("expected ") + what + ", got another kind");
    }

    static char next(const std::string& from, std::size_t& at) {
        while (at < from.size() && std::isspace(static_cast<unsigned char>(from[at]))) at++;
        if (at >= from.size()) throw std::runtime_error("expected JSON, got its end");
        return from[at];
    }

    static Json value(const std::string& from, std::size_t& at) {
        Json made;
        const char first = next(from, at);
        if (first == '{' || first == '[') {
            made.kind = first == '{' ? Kind::object : Kind::list;
            const char end = first == '{' ? '}' : ']';
            for (at++; next(from, at) != end;) {
                if (first == '{') {
                    made.keys.push_back(string(from, at));
                    next(from, at);
                    at++;  // the colon
                }
                made.items.push_back(value(from, at));
                if (next(from, at) == ',') at++;
            }
            at++;
        } else if (first == '"') {
            made.kind = Kind::text;
            made.text = string(from, at);
        } else if (first == 't' || first == 'f') {
            made.kind = Kind::truth;
            made.number = first == 't';
            at += first == 't' ? 4 : 5;
        } else if (first == 'n') {
            at += 4;
        } else {
            made.kind = Kind::number;
            char* end = nullptr;
            made.number = std::strtod(from.c_str() + at, &end);
            if (end == from.c_str() + at) throw std::runtime_error("expected JSON, got something else");
            at = static_cast<std::size_t>(end - from.c_str());
        }
        return made;
    }

    static std::string string(const std::string& from, std::size_t& at) {
        std::string made;
        unsigned long high = 0;
        next(from, at);
        for (at++; from.at(at) != '"'; at++) {
            if (from[at] != '\\') {
                made += from[at];
                continue;
            }
            static const std::string letters = "bfnrt", meant = "\b\f\n\r\t";
            const char escaped = from.at(++at);
            const std::size_t known = letters.find(escaped);
            if (escaped != 'u') {
                made += known == std::string::npos ? escaped : meant[known];
                continue;
            }
            unsigned long code = std::stoul(from.substr(at + 1, 4), nullptr, 16);
            at += 4;
            if (code >= 0xd800 && code < 0xdc00) {
                high = code - 0xd800;
                continue;
            }
            if (code >= 0xdc00 && code < 0xe000) code = 0x10000 + (high << 10) + code - 0xdc00;
            utf8(code, made);
        }
        at++;
        return made;
    }

    static void utf8(unsigned long code, std::string& made) {
        if (code < 0x80) {
            made += static_cast<char>(code);
        } else if (code < 0x800) {
            made += static_cast<char>(0xc0 | code >> 6);
            made += static_cast<char>(0x80 | (code & 0x3f));
        } else if (code < 0x10000) {
            made += static_cast<char>(0xe0 | code >> 12);
            made += static_cast<char>(0x80 | (code >> 6 & 0x3f));
            made += static_cast<char>(0x80 | (code & 0x3f));
        } else {
            made += static_cast<char>(0xf0 | code >> 18);
            made += static_cast<char>(0x80 | (code >> 12 & 0x3f));
            made += static_cast<char>(0x80 | (code >> 6 & 0x3f));
            made += static_cast<char>(0x80 | (code & 0x3f));
        }
    }
};

inline void read(const Json& from, bool& into) { into = from.truth(); }
inline void read(const Json& from, long& into) { into = from.integer(); }
inline void read(const Json& from, double& into) { into = from.real(); }
inline void read(const Json& from, std::string& into) { into = from.words(); }

template <class T>
void read(const Json& from, std::vector<T>& into) {
    for (const Json& item : from.list()) into.push_back(item.as<T>());
}

template <class T>
void read(const Json& from, std::map<std::string, T>& into) {
    for (const std::string& name : from.names()) into.emplace(name, from[name].as<T>());
}

template <class T>
void read(const Json& from, std::optional<T>& into) {
    if (from.kind != Json::Kind::null) into = from.as<T>();
}

}  // namespace game
