import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Values of JSON: Map, List, String, Double, Boolean, null. One of another kind ends the bot with a ClassCastException. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        return new Json(text).value();
    }

    /** What stands under a key; null if there is none. */
    static Object get(Object from, String key) {
        return ((Map<?, ?>) from).get(key);
    }

    static int integer(Object from) {
        return (int) number(from);
    }

    static long number(Object from) {
        return (long) real(from);
    }

    static double real(Object from) {
        return (Double) from;
    }

    static String text(Object from) {
        return (String) from;
    }

    static boolean truth(Object from) {
        return (Boolean) from;
    }

    static <T> List<T> list(Object from, Function<Object, T> read) {
        List<T> found = new ArrayList<>();
        for (Object each : (List<?>) from) {
            found.add(read.apply(each));
        }
        return found;
    }

    static <T> Map<String, T> byName(Object from, Function<Object, T> read) {
        Map<String, T> found = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : ((Map<?, ?>) from).entrySet()) {
            found.put((String) each.getKey(), read.apply(each.getValue()));
        }
        return found;
    }

    static <T> T maybe(Object from, Function<Object, T> read) {
        return from == null ? null : read.apply(from);
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (next()) {
            case '{':
                Map<String, Object> fields = new LinkedHashMap<>();
                for (at++; next() != '}'; ) {
                    String key = string();
                    next();
                    at++; // the colon
                    fields.put(key, value());
                    comma();
                }
                at++;
                return fields;
            case '[':
                List<Object> items = new ArrayList<>();
                for (at++; next() != ']'; ) {
                    items.add(value());
                    comma();
                }
                at++;
                return items;
            case '"':
                return string();
            case 't':
                at += 4;
                return true;
            case 'f':
                at += 5;
                return false;
            case 'n':
                at += 4;
                return null;
            default:
                int begin = at;
                while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                    at++;
                }
                return Double.valueOf(text.substring(begin, at));
        }
    }

    private void comma() {
        if (next() == ',') {
            at++;
        }
    }

    private String string() {
        next();
        StringBuilder made = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char letter = text.charAt(at);
            if (letter == '\\') {
                letter = text.charAt(++at);
                int known = "bfnrt".indexOf(letter);
                if (known >= 0) {
                    letter = "\b\f\n\r\t".charAt(known);
                } else if (letter == 'u') {
                    letter = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                }
            }
            made.append(letter);
        }
        at++;
        return made.toString();
    }
}
