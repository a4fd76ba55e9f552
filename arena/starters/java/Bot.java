import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A bot: Java 11 and its standard library. Write `choose`; the rest may stay as it is. */
class Bot {
    /**
     * Picks between `least` and `most` different ones of `count` options, by index. Here: any.
     *
     * <p>`question` is the whole line: options, then what you see, then what happened;
     * question.contains("\"step\":\"sale\"") finds a field. `arena rules GAME` tells what there is.
     * Look at things with System.err.
     */
    static List<Integer> choose(String question, int least, int most, int count, Random dice) {
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            indexes.add(i);
        }
        Collections.shuffle(indexes, dice);
        return indexes.subList(0, least + dice.nextInt(most - least + 1));
    }

    /**
     * What stands behind a key such as "least", quotation marks left out. The first key of a line is
     * the message's own: `arena docs protocol` promises the order of the fields.
     */
    static String value(String line, String key) {
        int begin = line.indexOf("\"" + key + "\":") + key.length() + 3;
        if (line.charAt(begin) == '"') {
            return line.substring(begin + 1, line.indexOf('"', begin + 1));
        }
        int end = begin;
        while (Character.isDigit(line.charAt(end))) {
            end++;
        }
        return line.substring(begin, end);
    }

    static int number(String line, String key) {
        return Integer.parseInt(value(line, key));
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Random dice = new Random(0);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("{\"type\":\"hello\",")) {
                // a match begins: its seed lets equal questions get equal answers
                dice.setSeed(Long.parseLong(value(line, "seed")));
                System.out.println("{\"type\":\"ready\"}");
            } else if (line.startsWith("{\"type\":\"decide\",")) {
                List<Integer> picks =
                        choose(line, number(line, "least"), number(line, "most"), number(line, "count"), dice);
                // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
                String answer = "{\"type\":\"choose\",\"id\":\"%s\",\"picks\":%s}";
                System.out.println(String.format(answer, value(line, "id"), picks));
            }
        }
    }
}
