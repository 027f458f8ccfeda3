//! Seeds as pages give them.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, Unexpected, Visitor};

/// Reads a seed: a whole number from 0 to 2^64 - 1, as a number or as a text of digits, since a page cannot hold them all as numbers.
pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(SeedVisitor)
}

struct SeedVisitor;

impl Visitor<'_> for SeedVisitor {
    type Value = u64;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "as the seed a whole number from 0 to {}", u64::MAX)
    }

    fn visit_u64<E: Error>(self, seed: u64) -> Result<u64, E> {
        Ok(seed)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        let is_whole = text.bytes().all(|letter| letter.is_ascii_digit());
        let seed = text.parse().ok().filter(|_| is_whole);
        seed.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::{Value, from_value, json};

    #[derive(Deserialize)]
    struct Dealt {
        #[serde(deserialize_with = "read")]
        seed: u64,
    }

    #[test]
    fn seeds_are_whole_numbers_of_64_bits() {
        let seed = |value: Value| from_value::<Dealt>(json!({ "seed": value })).map(|dealt| dealt.seed);
        assert_eq!(seed(json!(0)).unwrap(), 0);
        assert_eq!(seed(json!(u64::MAX)).unwrap(), u64::MAX);
        assert_eq!(seed(json!("18446744073709551615")).unwrap(), u64::MAX);
        for wrong in [
            json!(-5),
            json!(3.7),
            json!(1e99),
            json!("99999999999999999999"),
            json!("1e99"),
            json!("+5"),
            json!(""),
            json!(null),
            json!([1]),
        ] {
            let why = seed(wrong.clone()).unwrap_err().to_string();
            assert!(why.contains("a whole number from 0 to 18446744073709551615"), "{wrong}: {why}");
        }
    }
}
