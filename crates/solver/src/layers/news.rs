//! What a batch learned, as bytes: for journals, so that an exploration that goes on knows what it knew.

use term::wire::{Reader, Writer};

use super::cache::{Learned, News};

impl News {
    pub fn encode(&self, to: &mut Writer) {
        to.u64(self.entries.len() as u64);
        for entry in &self.entries {
            match entry {
                Learned::Sat { assertions, model } => {
                    to.u8(0);
                    hashes(to, assertions);
                    to.u64(model.len() as u64);
                    for (variable, value) in model {
                        to.u128(*variable);
                        to.value(value);
                    }
                }
                Learned::Unsat { core } => {
                    to.u8(1);
                    hashes(to, core);
                }
            }
        }
    }

    /// `None` where the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(from: &mut Reader<'_>) -> Option<News> {
        let count = from.count()?;
        let mut news = News::default();
        for _ in 0..count {
            news.entries.push(match from.u8()? {
                0 => {
                    let assertions = read_hashes(from)?;
                    let variables = from.count()?;
                    let model = (0..variables)
                        .map(|_| Some((from.u128()?, from.value()?)))
                        .collect::<Option<Vec<_>>>()?;
                    Learned::Sat { assertions, model }
                }
                1 => Learned::Unsat { core: read_hashes(from)? },
                _ => return None,
            });
        }
        Some(news)
    }
}

fn hashes(to: &mut Writer, hashes: &[u128]) {
    to.u64(hashes.len() as u64);
    hashes.iter().for_each(|hash| to.u128(*hash));
}

fn read_hashes(from: &mut Reader<'_>) -> Option<Vec<u128>> {
    (0..from.count()?).map(|_| from.u128()).collect()
}
