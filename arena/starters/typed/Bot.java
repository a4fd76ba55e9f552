import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A bot for GAME: Java 11 and its standard library. Write `choose`; the rest may stay as it is. */
class Bot {
    static class Question {
        final int least;
        final int most;
        /** Milliseconds for the answer. */
        final int time;
        final List<Choice> options;
        final Game.Observation observation;
        final List<Event> events;

        Question(Object from) {
            least = Json.integer(Json.get(from, "least"));
            most = Json.integer(Json.get(from, "most"));
            time = Json.integer(Json.get(from, "time"));
            options = Json.list(Json.get(from, "options"), Game::readChoice);
            observation = new Game.Observation(Json.get(from, "observation"));
            events = Json.list(Json.get(from, "events"), Game::readEvent);
        }
    }

    /**
     * Picks between `least` and `most` different ones of `options`, by index. Here: any.
     *
     * <p>`Game.java` has the types; `arena rules GAME` tells what they mean. Look at things with System.err.
     */
    static List<Integer> choose(Question question, Random dice) {
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < question.options.size(); i++) {
            indexes.add(i);
        }
        Collections.shuffle(indexes, dice);
        return indexes.subList(0, question.least + dice.nextInt(question.most - question.least + 1));
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        Random dice = new Random(0);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Object message = Json.parse(line);
            switch (Json.text(Json.get(message, "type"))) {
                case "hello":
                    // a match begins: its seed lets equal questions get equal answers
                    dice.setSeed(Json.number(Json.get(message, "seed")));
                    System.out.println("{\"type\":\"ready\"}");
                    break;
                case "decide":
                    List<Integer> picks = choose(new Question(message), dice);
                    // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
                    String answer = "{\"type\":\"choose\",\"id\":\"%s\",\"picks\":%s}";
                    System.out.println(String.format(answer, Json.get(message, "id"), picks));
                    break;
                default:
                    break;
            }
        }
    }
}
