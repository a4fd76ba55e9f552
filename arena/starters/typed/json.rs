//! Reads JSON, without a package.

use std::collections::BTreeMap;

/// A value of JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub fn parse(text: &str) -> Json {
        let mut reader = Reader {
            text: text.as_bytes(),
            at: 0,
        };
        reader.value()
    }

    /// What stands under a key of an object; null if there is none.
    pub fn get<T: FromJson>(&self, key: &str) -> T {
        match self {
            Json::Object(fields) => T::from_json(fields.get(key).unwrap_or(&Json::Null)),
            other => panic!("expected an object with {key}, got {other:?}"),
        }
    }
}

/// A type that can be read from JSON. A value of another kind ends the bot, with a word on stderr.
pub trait FromJson {
    fn from_json(json: &Json) -> Self;
}

impl FromJson for bool {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::Bool(truth) => *truth,
            other => panic!("expected true or false, got {other:?}"),
        }
    }
}

impl FromJson for f64 {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::Number(number) => *number,
            other => panic!("expected a number, got {other:?}"),
        }
    }
}

impl FromJson for i64 {
    fn from_json(json: &Json) -> Self {
        f64::from_json(json) as i64
    }
}

impl FromJson for usize {
    fn from_json(json: &Json) -> Self {
        f64::from_json(json) as usize
    }
}

impl FromJson for String {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::Text(text) => text.clone(),
            other => panic!("expected a text, got {other:?}"),
        }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::List(items) => items.iter().map(T::from_json).collect(),
            other => panic!("expected an array, got {other:?}"),
        }
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(json: &Json) -> Self {
        let read = |(key, item): (&String, &Json)| (key.clone(), T::from_json(item));
        match json {
            Json::Object(fields) => fields.iter().map(read).collect(),
            other => panic!("expected an object, got {other:?}"),
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => None,
            value => Some(T::from_json(value)),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> u8 {
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_whitespace())
        {
            self.at += 1;
        }
        *self.text.get(self.at).unwrap_or(&0)
    }

    fn value(&mut self) -> Json {
        match self.next() {
            b'{' => {
                let mut fields = BTreeMap::new();
                self.items(b'}', |reader| {
                    let key = reader.string();
                    reader.next();
                    reader.at += 1; // the colon
                    fields.insert(key, reader.value());
                });
                Json::Object(fields)
            }
            b'[' => {
                let mut items = Vec::new();
                self.items(b']', |reader| items.push(reader.value()));
                Json::List(items)
            }
            b'"' => Json::Text(self.string()),
            b't' => self.word(4, Json::Bool(true)),
            b'f' => self.word(5, Json::Bool(false)),
            b'n' => self.word(4, Json::Null),
            _ => {
                let from = self.at;
                while self
                    .text
                    .get(self.at)
                    .is_some_and(|byte| b"+-.eE0123456789".contains(byte))
                {
                    self.at += 1;
                }
                let digits = std::str::from_utf8(&self.text[from..self.at]).unwrap_or("");
                Json::Number(digits.parse().expect("expected JSON"))
            }
        }
    }

    fn word(&mut self, length: usize, value: Json) -> Json {
        self.at += length;
        value
    }

    fn items(&mut self, end: u8, mut read: impl FnMut(&mut Self)) {
        self.at += 1;
        while self.next() != end {
            read(self);
            if self.next() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn string(&mut self) -> String {
        self.next();
        self.at += 1;
        let mut bytes = Vec::new();
        let mut high = 0;
        loop {
            let byte = *self.text.get(self.at).expect("expected the end of a text");
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8_lossy(&bytes).into_owned(),
                b'\\' => {
                    let escaped = self.text[self.at];
                    self.at += 1;
                    let letter = match escaped {
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'n' => '\n',
                        b'r' => '\r',
                        b't' => '\t',
                        b'u' => {
                            let digits =
                                std::str::from_utf8(&self.text[self.at..self.at + 4]).unwrap_or("");
                            let unit = u32::from_str_radix(digits, 16).unwrap_or(0xfffd);
                            self.at += 4;
                            if (0xd800..0xdc00).contains(&unit) {
                                high = unit - 0xd800;
                                continue;
                            }
                            let low = (0xdc00..0xe000).contains(&unit);
                            let code = if low {
                                0x10000 + (high << 10) + unit - 0xdc00
                            } else {
                                unit
                            };
                            char::from_u32(code).unwrap_or('\u{fffd}')
                        }
                        other => other as char,
                    };
                    bytes.extend(letter.to_string().bytes());
                }
                other => bytes.push(other),
            }
        }
    }
}
