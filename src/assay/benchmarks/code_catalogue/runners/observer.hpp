#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

// Reports what a test observed; the values are compared with the expected ones outside.
class Observer {
public:
    explicit Observer(std::string nonce) : nonce_(std::move(nonce)) {}

    // Reports the text of one value: a number, a bool, a string, or a vector of such.
    template <typename T>
    void value(const T& value) { write("value " + quoted(text(value))); }

    // Reports whether the call throws the given kind of exception, another one, or nothing.
    template <typename Error, typename Call>
    void throws(Call&& call) {
        try {
            call();
        } catch (const Error&) {
            value("threw it");
            return;
        } catch (...) {
            value("threw another error");
            return;
        }
        value("threw nothing");
    }

    void run(const char* name, void (*test)(Observer&)) {
        write(std::string("start ") + name);
        try {
            test(*this);
            write(std::string("end ") + name);
        } catch (const std::exception& error) {
            write("error " + quoted(error.what()));
        } catch (...) {
            write("error \"an exception of unknown type\"");
        }
    }

    void write(const std::string& text) {
        // One call per line, which begins with a line break: other prints cannot split it.
        const std::string line = "\n@" + nonce_ + " " + text + "\n";
        std::cout.flush();
        std::fflush(stdout);
        [[maybe_unused]] const auto written = ::write(1, line.data(), line.size());
    }

private:
    std::string nonce_;

    static std::string text(bool value) { return value ? "true" : "false"; }
    static std::string text(const std::string& value) { return value; }
    static std::string text(const char* value) { return value; }

    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    static std::string text(T value) {
        std::ostringstream out;
        out.precision(12);
        out << +value;
        return out.str();
    }

    template <typename T>
    static std::string text(const std::vector<T>& values) {
        std::string joined = "[";
        bool is_first = true;
        for (const auto& value : values) {
            if (!is_first) joined += ", ";
            joined += text(static_cast<const T&>(value));
            is_first = false;
        }
        return joined + "]";
    }

    static std::string quoted(const std::string& text) {
        std::string quoted = "\"";
        for (const unsigned char one : text) {
            if (one == '"' || one == '\\') {
                quoted += '\\';
                quoted += static_cast<char>(one);
            } else if (one < 0x20) {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\u%04x", one);
                quoted += escaped;
            } else {
                quoted += static_cast<char>(one);
            }
        }
        return quoted + "\"";
    }
};
