//! Compressed resources of a JDK image, as `jlink --compress` writes them: a stack of “zip” and “compact-cp”
//! layers, each with a header.

use std::io::Read as _;

use super::error::LoadError;
use super::image::Image;
use super::reader::{Read, Reader};

const LAYER_MAGIC: u32 = 0xcafe_fafa;
const LAYER_HEADER: usize = 29;
/// `jlink` writes two; a broken image must not make us loop.
const MAX_LAYERS: usize = 8;

pub(super) fn decompress(
    image: &Image,
    resource: &str,
    stored: Vec<u8>,
    uncompressed: u64,
) -> Result<Vec<u8>, LoadError> {
    let bad =
        || LoadError::BadImage { path: image.path().to_owned(), what: "a compressed resource is broken" };
    let mut content = stored;
    for _ in 0..MAX_LAYERS {
        let Some(layer) = Layer::parse(image, &content) else { break };
        let body =
            content.get(LAYER_HEADER..).and_then(|body| body.get(..layer.compressed)).ok_or_else(bad)?;
        let expanded = match layer.method.as_slice() {
            b"zip" => inflate(body, layer.uncompressed),
            b"compact-cp" => restore_strings(image, body, layer.uncompressed),
            other => {
                return Err(LoadError::ImageCompression {
                    path: image.path().to_owned(),
                    resource: resource.to_owned(),
                    method: String::from_utf8_lossy(other).into_owned(),
                });
            }
        };
        content = expanded.ok_or_else(bad)?;
    }
    if u64::try_from(content.len()).ok() != Some(uncompressed) {
        return Err(bad());
    }
    Ok(content)
}

struct Layer {
    compressed: usize,
    uncompressed: usize,
    method: Vec<u8>,
}

impl Layer {
    /// `None` when the content does not begin with a layer's header: then it is the resource itself.
    fn parse(image: &Image, content: &[u8]) -> Option<Layer> {
        let (magic, rest) = content.split_first_chunk::<4>()?;
        let (compressed, rest) = rest.split_first_chunk::<8>()?;
        let (uncompressed, rest) = rest.split_first_chunk::<8>()?;
        let (name, _) = rest.split_first_chunk::<4>()?;
        let u32_of = if image.big_endian() { u32::from_be_bytes } else { u32::from_le_bytes };
        let u64_of = if image.big_endian() { u64::from_be_bytes } else { u64::from_le_bytes };
        if u32_of(*magic) != LAYER_MAGIC {
            return None;
        }
        Some(Layer {
            compressed: usize::try_from(u64_of(*compressed)).ok()?,
            uncompressed: usize::try_from(u64_of(*uncompressed)).ok()?,
            method: image.string_bytes(u32_of(*name))?.to_vec(),
        })
    }
}

fn inflate(body: &[u8], uncompressed: usize) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let limit = u64::try_from(uncompressed).ok()?.checked_add(1)?;
    flate2::read::ZlibDecoder::new(body).take(limit).read_to_end(&mut content).ok()?;
    (content.len() == uncompressed).then_some(content)
}

/// “compact-cp” moves the texts of a class's constant pool to the image's strings. Tag 23 is such a text; tag 25
/// is a descriptor whose class names were taken out, leaving an `L` for each.
fn restore_strings(image: &Image, body: &[u8], uncompressed: usize) -> Option<Vec<u8>> {
    let mut reader = Reader::new(body);
    let content = restore(image, &mut reader, uncompressed).ok()?;
    (content.len() == uncompressed).then_some(content)
}

fn restore(image: &Image, reader: &mut Reader<'_>, limit: usize) -> Read<Vec<u8>> {
    let mut content = Vec::new();
    content.extend(reader.bytes(8)?);
    let count = reader.u16()?;
    content.extend(count.to_be_bytes());
    let mut index = 1u32;
    while index < u32::from(count) && content.len() <= limit {
        let tag = reader.u8()?;
        match tag {
            23 => {
                let text = shared(image, reader)?;
                push_text(reader, &mut content, text)?;
            }
            25 => {
                let text = descriptor(image, reader)?;
                push_text(reader, &mut content, &text)?;
            }
            1 => {
                let len = reader.u16()?;
                let text = reader.bytes(len.into())?;
                push_text(reader, &mut content, text)?;
            }
            _ => {
                let size = match tag {
                    3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 4,
                    5 | 6 => 8,
                    7 | 8 | 16 | 19 | 20 => 2,
                    15 => 3,
                    _ => return reader.fault("unknown constant tag"),
                };
                content.push(tag);
                content.extend(reader.bytes(size)?);
                if size == 8 {
                    index = index.saturating_add(1);
                }
            }
        }
        index = index.saturating_add(1);
    }
    content.extend(reader.bytes(reader.remaining())?);
    Ok(content)
}

fn push_text(reader: &Reader<'_>, content: &mut Vec<u8>, text: &[u8]) -> Read<()> {
    let Ok(len) = u16::try_from(text.len()) else { return reader.fault("text is too long") };
    content.push(1);
    content.extend(len.to_be_bytes());
    content.extend(text);
    Ok(())
}

fn descriptor(image: &Image, reader: &mut Reader<'_>) -> Read<Vec<u8>> {
    let pattern = shared(image, reader)?;
    let names_len = packed(reader)?;
    let mut names = reader.sub(names_len)?;
    if names_len == 0 {
        return Ok(pattern.to_vec());
    }
    let mut text = Vec::new();
    for &byte in pattern {
        text.push(byte);
        if byte == b'L' {
            let package = shared(image, &mut names)?;
            text.extend(package);
            if !package.is_empty() {
                text.push(b'/');
            }
            text.extend(shared(image, &mut names)?);
        }
        if text.len() > usize::from(u16::MAX) {
            return reader.fault("text is too long");
        }
    }
    Ok(text)
}

fn shared<'i>(image: &'i Image, reader: &mut Reader<'_>) -> Read<&'i [u8]> {
    let offset = packed(reader)?;
    match image.string_bytes(offset) {
        Some(bytes) => Ok(bytes),
        None => reader.fault("text is not in the image"),
    }
}

/// A number in 1 to 4 bytes: with the top bit set, the next two bits are the length and the low five the most
/// significant part; otherwise four bytes as they are.
fn packed(reader: &mut Reader<'_>) -> Read<u32> {
    let first = reader.u8()?;
    let (len, top) = if first & 0x80 == 0 { (4, first) } else { ((first >> 5) & 3, first & 0x1f) };
    let mut value = u32::from(top);
    for _ in 1..len {
        value = (value << 8) | u32::from(reader.u8()?);
    }
    Ok(value)
}
