// A bot: Rust and its standard library. Write `choose`; the rest may stay as it is.

use std::io::{self, BufRead, Write};

/// Picks between `least` and `most` different ones of `count` options, by index. Here: any.
///
/// `question` is the whole line: options, then what you see, then what happened;
/// `question.contains(r#""step":"sale""#)` finds a field. `arena rules GAME` tells what there is.
/// Look at things with `eprintln!`.
fn choose(_question: &str, least: u64, most: u64, count: u64, dice: &mut Dice) -> Vec<u64> {
    let mut picks: Vec<u64> = (0..count).collect();
    let size = least + dice.below(most - least + 1);
    for i in 0..size {
        let j = i + dice.below(count - i);
        picks.swap(i as usize, j as usize);
    }
    picks.truncate(size as usize);
    picks
}

/// Chance from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    /// A number from 0 to n - 1.
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        (z ^ (z >> 31)) % n
    }
}

/// What stands behind a key such as `"least":`, quotation marks left out. The first key of a line
/// is the message's own: `arena docs protocol` promises the order of the fields.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(key).unwrap_or(("", ""));
    let rest = rest.trim_start_matches('"');
    rest.split(['"', ',', '}']).next().unwrap_or("")
}

fn number(line: &str, key: &str) -> u64 {
    value(line, key).parse().unwrap_or(0)
}

fn main() -> io::Result<()> {
    let mut dice = Dice(0);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with(r#"{"type":"hello","#) {
            // a match begins: its seed lets equal questions get equal answers
            dice = Dice(number(&line, r#""seed":"#));
            writeln!(out, r#"{{"type":"ready"}}"#)?;
        } else if line.starts_with(r#"{"type":"decide","#) {
            let [least, most, count] =
                [r#""least":"#, r#""most":"#, r#""count":"#].map(|key| number(&line, key));
            let picks = choose(&line, least, most, count, &mut dice);
            let id = value(&line, r#""id":"#);
            // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
            writeln!(out, r#"{{"type":"choose","id":"{id}","picks":{picks:?}}}"#)?;
        }
        out.flush()?;
    }
    Ok(())
}
