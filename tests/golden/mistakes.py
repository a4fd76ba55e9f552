"""What goes wrong in an evening with arena: each mistake in words, the files that make it, and what is typed.

Data alone; ``told`` runs them. A folder holds a bot that works, ``mine.py``, and a finished run, ``results/demo``.
"""

from collections.abc import Mapping
from typing import NamedTuple

GOOD = """\
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "mine"}
    elif message["type"] == "decide":
        picks = list(range(message["least"]))
        answer = {"type": "choose", "id": message["id"], "picks": picks}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""
SCRIPT = """\
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log(JSON.stringify({ type: "ready", name: "mine" }));
  if (message.type === "decide") {
    const picks = [...Array(message.least).keys()];
    console.log(JSON.stringify({ type: "choose", id: message.id, picks }));
  }
});
"""
SHELL = """\
while read -r line; do
  case $line in
    '{"type":"hello"'*) echo '{"type":"ready","name":"mine"}' ;;
    '{"type":"decide"'*)
      id=${line#*'"id":"'}; id=${id%%'"'*}
      least=${line#*'"least":'}; least=${least%%,*}
      picks=$(seq -s, 0 $((least - 1)))
      echo '{"type":"choose","id":"'$id'","picks":['$picks']}' ;;
  esac
done
"""
TOML = """\
name = "mine"
command = ["python3", "mine.py"]
"""
RUN, CHECK = "arena run -g dockfight --seats 2 -n 2 greedy", "arena check -g dockfight --seats 2"
MINE = 'mine="python3 mine.py"'
NODE, SH = 'mine="node mine.js"', 'mine="dash mine.sh"'


class Mistake(NamedTuple):
    """A mistake, and how somebody comes to see it."""

    title: str
    typed: str
    files: Mapping[str, str | bytes] = {}
    first: str = ""
    """What was typed before, in a shell."""
    needs: tuple[str, ...] = ()
    """Programs without which it cannot be made."""


def bot(title: str, old: str, new: str, typed: str = f"{CHECK} {MINE}") -> Mistake:
    """The bot that works, but for this place of its program."""
    assert old in GOOD, old
    return Mistake(title, typed, {"mine.py": GOOD.replace(old, new)})


def js(title: str, old: str, new: str, typed: str = f"{CHECK} {NODE}") -> Mistake:
    """The same in JavaScript."""
    assert old in SCRIPT, old
    return Mistake(title, typed, {"mine.js": SCRIPT.replace(old, new)}, needs=("node",))


def sh(title: str, old: str, new: str, typed: str = f"{CHECK} {SH}") -> Mistake:
    """The same for the shell."""
    assert old in SHELL, old
    return Mistake(title, typed, {"mine.sh": SHELL.replace(old, new)}, needs=("dash",))


def file(title: str, old: str, new: str, typed: str = f"{RUN} mine/") -> Mistake:
    """The bot that works in a folder, but for this place of its bot.toml."""
    assert old in TOML, old
    return Mistake(title, typed, {"mine/bot.toml": TOML.replace(old, new), "mine/mine.py": GOOD})


def starter(title: str, language: str, old: str, new: str, typed: str, *needs: str) -> Mistake:
    """A bot that was begun with ``arena new bot`` and then spoilt with an editor."""
    name = {"go": "bot.go", "typescript": "bot.ts"}[language]
    first = f"arena new bot mine --lang {language} && sed -i 's/{old}/{new}/' mine/{name}"
    return Mistake(title, typed, first=first, needs=needs)


COMMANDS = (
    Mistake("Mistype a command", "arena rnu -g lure"),
    Mistake("Type a command of other programs", "arena start"),
    Mistake("Ask for help as a command", "arena help"),
    Mistake("Name no game", "arena run greedy"),
    Mistake("Give two games, one without its option", "arena run lure -g dockfight greedy"),
    Mistake("Mistype a game", "arena run -g cash-a-cach"),
    Mistake("Name a game that is none", "arena run -g chess"),
    Mistake("Mistype a game of the rules", "arena rules dokfight"),
    Mistake("Mistype an option", "arena run -g lure --sede 3"),
    Mistake("Use an option of another tester", "arena compare ./mine.py greedy -g lure --sprt 0 5"),
    Mistake("Forget the value of an option", "arena run -g lure --seed"),
    Mistake("Give a switch a value", "arena run -g lure --json=yes"),
    Mistake("Ask for a format that is none", "arena run -g lure --format tabel"),
    Mistake("Ask for the schema of something else", "arena schema --of game"),
    Mistake("Play no match", "arena run -g lure -n 0"),
    Mistake("Play many matches, in words", "arena run -g lure -n many"),
    Mistake("Ask for too many seats", "arena run -g cash-a-catch --seats 6"),
    Mistake("Ask for seats in words", "arena run -g cash-a-catch --seats four"),
    Mistake("Ask for no lanes", "arena run -g lure --lanes 0"),
    Mistake("Give a time without its unit", "arena run -g lure --move-time 400"),
    Mistake("Give a time of nothing", "arena run -g lure --move-time 0s"),
    Mistake("Mistype a variant", "arena run -g cash-a-catch --variant bel=lot"),
    Mistake("Mistype the value of a variant", "arena run -g cash-a-catch --variant bell=nearst"),
    Mistake("Leave out the value of a variant", "arena run -g cash-a-catch --variant bell"),
    Mistake("Mistype a limit", "arena run -g lure --limit memroy=1GiB"),
    Mistake("Set a limit out of bounds", "arena run -g lure --limit line=1B"),
    Mistake("Mistype a schedule", "arena run -g lure --schedule swis"),
    Mistake("Mistype when to stop", "arena run -g lure --until beest"),
    Mistake("Give no seed", "arena run -g lure --seed ''"),
    Mistake("Ask for a level of isolation that is none", "arena run -g lure --isolation vm"),
    Mistake("Mistype a setting in the environment", "ARENA_LANES=two arena run -g lure"),
)

ENTERING = (
    Mistake("Mistype a shipped bot", f"{RUN} gredy"),
    Mistake("Name a bot that does not exist", f"{RUN} alphafish"),
    Mistake("Give a folder that does not exist", f"{RUN} ./mine"),
    Mistake("Give the program and not its folder", f"{RUN} mine.py"),
    Mistake("Give the path of a program", f"{RUN} ./mine.py"),
    Mistake("Forget the name before a command line", f'{RUN} "python3 mine.py"'),
    Mistake("Give a folder without a bot.toml", f"{RUN} ./mine", {"mine/mine.py": GOOD}),
    Mistake("Name nothing after the equals sign", f"{RUN} mine="),
    Mistake("Put blanks around the equals sign", f'{RUN} "mine = python3 mine.py"'),
    Mistake("Name a bot with a space", f'{RUN} "my bot=python3 mine.py"'),
    Mistake("Leave a quote open", f"""{RUN} 'mine=python3 "mine.py'"""),
    Mistake("Enter a bot twice", f"{RUN} greedy"),
    Mistake("Enter two bots of one name", f"{RUN} {MINE} mine=random"),
    Mistake("Enter too many copies", f"{RUN} random*101"),
    Mistake("Enter a bot by the name of a program that is not installed", f'{RUN} mine="pyhton3 mine.py"'),
    Mistake("Enter a program that is not there", f'{RUN} mine="python3 mien.py"'),
    Mistake(
        "Enter a bot that does not play this game",
        f"{RUN} mine/",
        {"mine/bot.toml": f'{TOML}games = ["lure"]\n', "mine/mine.py": GOOD},
    ),
    file("Mistype a game in bot.toml", "command", 'games = ["dokfight"]\ncommand'),
    file(
        "Mistype a game in bot.toml, and check the bot", "command", 'games = ["dokfight"]\ncommand', "arena check mine/"
    ),
    file("Mistype a key of bot.toml", "command", "comand"),
    file("Leave out a key of bot.toml", 'name = "mine"\n', ""),
    file("Write the command of bot.toml as a text", '["python3", "mine.py"]', '"python3 mine.py"'),
    file("Leave a quote of bot.toml open", '"mine.py"', '"mine.py'),
    file("Write bot.toml as YAML", 'name = "mine"', "name: mine"),
    file("Name a program of bot.toml that is not there", '"python3", "mine.py"', '"./mine"'),
    file("Ask for a limit that is none in bot.toml", "command", 'limits = { memroy = "1GiB" }\ncommand'),
    file("Ask for more than the host allows", "command", 'limits = { memory = "64GiB" }\ncommand'),
    Mistake("Begin a bot where there is one", "arena new bot mine", {"mine/bot.toml": TOML}),
    Mistake("Begin as a shipped bot in another language", "arena new bot mine --lang go --from greedy"),
    Mistake("Begin a bot in a language that has no starter", "arena new bot mine --lang pyton"),
)

STARTING = (
    Mistake(
        "Forget that a program must be executable",
        f"{RUN} mine/",
        {"mine/bot.toml": TOML.replace('"python3", "mine.py"', '"./mine.py"'), "mine/mine.py": GOOD},
    ),
    Mistake(
        "Name an interpreter that is not there",
        f"{RUN} mine/",
        {
            "mine/bot.toml": TOML.replace('"python3", "mine.py"', '"./mine.py"'),
            "mine/mine.py": f"#!/usr/bin/pyhton3\n{GOOD}",
        },
        "chmod +x mine/mine.py",
    ),
    bot("Make a syntax error", "for line in sys.stdin:", "for line in sys.stdin", f"{RUN} {MINE}"),
    bot("Make a syntax error, and check the bot", "for line in sys.stdin:", "for line in sys.stdin"),
    bot("Import a module that is not there", "import json, sys", "import json, sys\nimport nunpy", f"{RUN} {MINE}"),
    bot("Import a module that is not there, and check the bot", "import json, sys", "import json, sys\nimport nunpy"),
    bot("Open a file that is not there", "import json, sys", 'import json, sys\nweights = open("weights.bin")'),
    bot("Print that the bot starts", "import json, sys", 'import json, sys\nprint("starting")', f"{RUN} {MINE}"),
    bot("Forget to flush", ", flush=True", "", f"{CHECK} {MINE} --start-time 1500ms"),
    bot(
        "Exit at hello",
        '        answer = {"type": "ready"',
        '        sys.exit(3)\n        answer = {"type": "ready"',
        f"{RUN} {MINE}",
    ),
    bot("Speak another protocol", '"name": "mine"}', '"name": "mine", "protocol": 2}', f"{RUN} {MINE}"),
    bot("Say ready under another type", '"type": "ready"', '"type": "redy"', f"{RUN} {MINE}"),
    bot(
        "Take too long to load",
        "import json, sys",
        "import json, sys, time\ntime.sleep(9)",
        f"{CHECK} {MINE} --start-time 1500ms",
    ),
    bot(
        "Read all input at once",
        "for line in sys.stdin:",
        "for line in sys.stdin.read().split():",
        f"{CHECK} {MINE} --start-time 1500ms",
    ),
    Mistake(
        "Enter two bots that cannot start",
        f'{RUN} one="python3 one.py" two="python3 two.py"',
        {"one.py": "import nunpy\n", "two.py": "print('hi'\n"},
    ),
    Mistake(
        "Enter one bot that cannot start among those that can",
        f'{RUN} random one="python3 one.py"',
        {"one.py": "import nunpy\n"},
    ),
    Mistake(
        "Go on with too few bots",
        'arena run -g cash-a-catch -n 2 greedy one="python3 one.py" --keep-going',
        {"one.py": "import nunpy\n"},
    ),
    Mistake(
        "Go on with fewer bots than seats",
        'arena run -g dockfight --seats 3 -n 2 greedy random one="python3 one.py" --keep-going',
        {"one.py": "import nunpy\n"},
    ),
    Mistake("Go on with one bot", f'{RUN} one="python3 one.py" --keep-going', {"one.py": "import nunpy\n"}),
    bot("Ask with a prompt", "for line in sys.stdin:\n", 'while line := input("> "):\n'),
    Mistake(
        "Mistype the program in bot.toml",
        "arena check -g dockfight --seats 2 ./mine",
        {"mine/bot.toml": TOML.replace("mine.py", "bto.py"), "mine/bot.py": GOOD},
    ),
    Mistake(
        "Save a script with the line ends of Windows",
        f'chmod +x mine.sh && {CHECK} mine="./mine.sh"',
        {"mine.sh": f"#!/bin/sh\n{SHELL}".replace("\n", "\r\n").encode()},
    ),
    Mistake("Forget the first line of a script", f'chmod +x mine.py && {CHECK} mine="./mine.py"', {"mine.py": GOOD}),
    Mistake(
        "Name an interpreter that is not there in the first line",
        f'chmod +x mine.py && {CHECK} mine="./mine.py"',
        {"mine.py": f"#!/usr/bin/env python4\n{GOOD}"},
    ),
    Mistake(
        "Let an exception go uncaught in C++",
        f'g++ -o mine mine.cpp && {CHECK} mine="./mine"',
        {"mine.cpp": '#include <string>\nint main() { return std::stoi("fish"); }\n'},
        needs=("g++",),
    ),
    bot(
        "Compute for long before ready",
        "import json, sys",
        "import json, sys, time\nwhile time.process_time() < 9:\n    pass",
        f"{CHECK} {MINE} --start-time 1500ms",
    ),
    js("Make a syntax error in JavaScript", "const message = JSON", "const message == JSON", f"{RUN} {NODE}"),
    js("Load a module that is not there in JavaScript", "const lines", 'const fish = require("fish");\nconst lines'),
    sh("Make a syntax error in a shell", "  esac\n", ""),
    sh("Use a program that is not there in a shell", "picks=$(seq -s,", "picks=$(sequ -s,"),
    Mistake(
        "Save a shell bot with the line ends of Windows",
        f"{CHECK} {SH}",
        {"mine.sh": SHELL.replace("\n", "\r\n").encode()},
        needs=("dash",),
    ),
    starter("Misname a variable in Go", "go", "dice.Perm", "dices.Perm", f"{RUN} mine/", "go"),
    starter(
        "Misname a variable in Go, and check the bot",
        "go",
        "in.ReadBytes",
        "input.ReadBytes",
        "arena check -g dockfight --seats 2 mine/",
        "go",
    ),
    starter(
        "Make a type error in TypeScript",
        "typescript",
        "let dice = 0",
        "let dice: string = 0",
        f"{RUN} mine/",
        "tsc",
        "node",
    ),
    starter(
        "Misname a field in TypeScript, and check the bot",
        "typescript",
        "id: message.id",
        "id: message.ident",
        "arena check -g dockfight --seats 2 mine/",
        "tsc",
        "node",
    ),
    Mistake(
        "Begin a bot for a compiler that is not there",
        f"{RUN} mine/",
        {"mine/bot.toml": 'name = "mine"\ncommand = ["./bot"]\nbuild = [["zigg", "build-exe", "bot.zig"]]\n'},
    ),
    Mistake(
        "Fail a step of the build",
        f"{RUN} mine/",
        {
            "mine/bot.toml": 'name = "mine"\ncommand = ["./bot"]\nbuild = [["python3", "make.py"]]\n',
            "mine/make.py": "import nunpy\n",
        },
    ),
)

PLAYING = (
    bot("Print for debugging", "        picks =", '        print("my turn")\n        picks ='),
    bot("Send back a wrong id", '"id": message["id"]', '"id": "1"'),
    bot("Forget the id", '"id": message["id"], ', ""),
    bot("Pick out of range", 'picks = list(range(message["least"]))', 'picks = [message["count"]]'),
    bot("Pick a negative index", 'picks = list(range(message["least"]))', "picks = [-1]"),
    bot("Pick the same option twice", 'picks = list(range(message["least"]))', "picks = [0, 0]"),
    bot("Pick too few", 'picks = list(range(message["least"]))', "picks = []"),
    bot("Pick one index, not in an array", 'picks = list(range(message["least"]))', "picks = 0"),
    bot("Pick an option and not its index", 'picks = list(range(message["least"]))', 'picks = message["options"][:1]'),
    bot("Name a field of the answer wrongly", '"picks": picks', '"pick": picks'),
    bot("Name a field of the question wrongly", 'message["least"]', 'message["min"]'),
    bot("Print Python and not JSON", "json.dumps(answer)", "answer"),
    bot("Begin with a byte order mark", "import json, sys", 'import json, sys\nprint("\\ufeff", end="")'),
    bot(
        "Write Latin-1",
        "print(json.dumps(answer), flush=True)",
        'sys.stdout.buffer.write(b\'{"type":"ready","name":"\\xe9"}\\n\')\n    sys.stdout.flush()',
    ),
    bot("End lines as Windows does", "flush=True", 'end="\\r\\n", flush=True'),
    bot("Write a line of a megabyte", '"picks": picks', '"picks": picks, "why": "x" * 1_000_000'),
    bot("Answer twice", "    print(json", "    print(json.dumps(answer), flush=True)\n    print(json"),
    bot("Answer when the match is over", "    else:\n        continue", "    else:\n        pass"),
    bot(
        "Crash in the middle of a match",
        "        picks =",
        "        seen = getattr(sys, 'seen', 0) + 1 / (3 - "
        "getattr(sys, 'seen', 0))\n        sys.seen = getattr(sys, 'seen', 0) + 1\n        picks =",
    ),
    bot("Exit when the match is over", "        continue", "        break"),
    bot("Be at home in one game only", "        picks =", '        message["observation"]["pond"]\n        picks ='),
    bot(
        "Sleep too long",
        "        picks =",
        "        __import__('time').sleep(9)\n        picks =",
        f"{CHECK} {MINE} --move-time 300ms",
    ),
    bot("Leave the newline out", "flush=True", 'end="", flush=True', f"{CHECK} {MINE} --start-time 1500ms"),
    bot("Read lines of 4,096 characters", "for line in sys.stdin:", "while line := sys.stdin.readline(4096):"),
    bot(
        "Exit with an error at the end",
        "    print(json.dumps(answer), flush=True)\n",
        "    print(json.dumps(answer), flush=True)\nsys.exit(1)\n",
    ),
    bot(
        "Stop at an unknown message",
        "    else:\n        continue",
        "    elif message['type'] != 'over':\n        raise ValueError(message['type'])\n    else:\n        continue",
    ),
    bot(
        "Start a process that stays",
        "import json, sys",
        'import json, subprocess, sys\nsubprocess.Popen(["sleep", "9"])',
    ),
    js("Log for debugging in JavaScript", "const picks", 'console.log("my turn");\n    const picks'),
    js("Throw in JavaScript", "const picks", "message.observation.pond.fish;\n    const picks"),
    js("Misname a field in JavaScript", "message.id", "message.ident"),
    sh("Echo for debugging in a shell", "      id=", "      echo my turn\n      id="),
    sh("Forget the quotes of JSON in a shell", '"id":"\'$id\'"', "\"id\":'$id'"),
    bot(
        "Play a run with wrong picks",
        'picks = list(range(message["least"]))',
        "picks = [99]",
        f"{RUN} {MINE} --seed 1 --strict -o faulty > table",
    ),
    Mistake(
        "Look up what was wrong with a bot",
        "arena stats faulty --bot mine | tail -n 20",
        {"mine.py": GOOD.replace('list(range(message["least"]))', "[99]")},
        f"{RUN} {MINE} --seed 1 -q -o faulty",
    ),
    Mistake(
        "Look up what was wrong with a bot in a match",
        "arena replay faulty '#0' | head -n 18",
        {"mine.py": GOOD.replace('list(range(message["least"]))', "[99]")},
        f"{RUN} {MINE} --seed 1 -q -o faulty",
    ),
    bot(
        "Ask a spoilt bot a recorded match again",
        'message["least"]',
        'message["min"]',
        "arena replay results/demo '#0' --seat 0 -- python3 mine.py 2> stderr",
    ),
)

RUNS = (
    Mistake("Mistype a run", "arena leaderboard results/dmo"),
    Mistake("Name the folder of all runs", "arena leaderboard results"),
    Mistake("Name a folder that is no run", "arena leaderboard ."),
    Mistake("Name a file and not a run", "arena leaderboard mine.py"),
    Mistake("Name no run where there is none", "mkdir none; cd none; arena leaderboard"),
    Mistake("Leave the number of a match unquoted, so that the shell drops it", "arena replay results/demo #1"),
    Mistake("Name a match that does not exist", "arena replay results/demo 99"),
    Mistake("Name a match by the beginning of several ids", "arena replay results/demo e0b0"),
    Mistake("Name a match by a wrong id", "arena replay results/demo e9b9r9"),
    Mistake("Name a seat that the match does not have", "arena replay results/demo '#0' --seat 4"),
    Mistake("Ask a bot again without a seat", "arena replay results/demo '#0' -- python3 mine.py"),
    Mistake("Mistype a bot of the run", "arena matches results/demo --bot gredy"),
    Mistake("Look for lost matches of nobody", "arena matches results/demo --lost"),
    Mistake("Look up the losses of a bot that was not in the run", "arena stats results/demo --bot search"),
    Mistake("Leave out a bot that was not in the run", "arena leaderboard results/demo --without search"),
    Mistake(
        "Play on in a folder with other settings",
        "arena run -g dockfight --seats 2 -n 4 greedy random -o results/demo --move-time 2s",
    ),
    Mistake("Play on in a folder of another game", "arena run -g lure -n 4 greedy random -o results/demo"),
    Mistake(
        "Play on in a folder with a changed bot",
        f"{RUN} {MINE} -o changed > table",
        {},
        f"{RUN} {MINE} -q -o changed && echo '# better' >> mine.py",
    ),
    Mistake("Write results where a file is", f"{RUN} random -o mine.py"),
    Mistake("Write results below a file", f"{RUN} random -o mine.py/results"),
    Mistake(
        "Write results into the folder of a bot", f"{RUN} ./mine -o mine", {"mine/bot.toml": TOML, "mine/mine.py": GOOD}
    ),
    Mistake("Write a page where no folder is", "arena report results/demo -o pages/demo.html"),
    Mistake(
        "Change a result by hand",
        "arena verify results/demo",
        {},
        'sed -i \'s/"ranks":\\[0,1\\]/"ranks":[1,0]/\' results/demo/matches.jsonl',
    ),
    Mistake("Lose the manifest of a run", "arena leaderboard results/demo", {}, "rm results/demo/run.json"),
    Mistake("Empty the manifest of a run", "arena leaderboard results/demo", {}, ": > results/demo/run.json"),
    Mistake(
        "Merge runs that do not belong together",
        "arena merge results/demo other -o both",
        {},
        "arena run -g lure -q -n 2 greedy random --seats 2 -o other",
    ),
    Mistake("Compare a bot with itself", "arena compare greedy greedy -g lure"),
    Mistake("Sit down in a seat that is not there", "arena play dockfight --seat 9"),
    Mistake("Play oneself against a program that is none", "arena selfplay dockfight ./mine greedy"),
)

HOSTING = (
    Mistake("Mistype a key of arena.toml", RUN, {"arena.toml": 'game = "lure"\nmatchs = 10\n'}),
    Mistake("Write a value of arena.toml as a text", RUN, {"arena.toml": 'matches = "10"\n'}),
    Mistake("Name a settings file that is not there", f"{RUN} random --config league.toml"),
    Mistake("Run a season where no league is", "arena season"),
    Mistake(
        "Mistype a bot of arena.toml", "arena run -g dockfight", {"arena.toml": 'bots = ["greedy", "bots/mine"]\n'}
    ),
    Mistake("Read a plan that is not there", "arena run --plan nowhere"),
)

MISTAKES = {
    "The command line": COMMANDS,
    "Bots that cannot be entered": ENTERING,
    "Bots that cannot start": STARTING,
    "Bots that break the protocol": PLAYING,
    "Runs and matches": RUNS,
    "Hosts": HOSTING,
}
