//! Colours, sizes of letters and lines. Figures are drawn in the colours of the light theme; where the reader prefers dark,
//! a style sheet replaces each by its counterpart.

use plotters::style::RGBColor;

/// Units of the drawing per CSS pixel: the drawing has whole coordinates only.
pub(super) const UNIT: i32 = 10;

/// Sizes of letters in CSS pixels: labels, names of axes, the title.
pub(super) const SMALL: f64 = 12.0;
pub(super) const MEDIUM: f64 = 13.0;
pub(super) const LARGE: f64 = 15.0;

pub(super) const BACKGROUND: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
pub(super) const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Letters on a coloured cell.
pub(super) const IN_CELL: RGBColor = RGBColor(0x11, 0x11, 0x11);
pub(super) const AXIS: RGBColor = RGBColor(0x77, 0x77, 0x77);
pub(super) const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
/// Lines to compare with: dashed where there are style sheets.
pub(super) const REFERENCE: RGBColor = RGBColor(0x44, 0x44, 0x44);

/// The colours of series, told apart by people who see colours differently, in order of use.
pub(super) const SERIES: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xAA, 0x44, 0x99),
    RGBColor(0xB8, 0x86, 0x00),
    RGBColor(0x44, 0xAA, 0xDD),
    RGBColor(0x66, 0x66, 0x66),
];

/// The style sheet of figures: the dark counterpart of every colour that is drawn, on screens only.
pub const DARK: &str = "\
svg.plot text{font-family:system-ui,sans-serif}
svg.plot text[fill=\"#222222\"]{paint-order:stroke;stroke:#fff;stroke-width:30;stroke-linejoin:round}
svg.plot [stroke=\"#444444\"]{stroke-dasharray:60 40}
@media screen and (prefers-color-scheme:dark){
svg.plot [fill=\"#FFFFFF\"]{fill:#16181d}
svg.plot [fill=\"#111111\"]{fill:#f2f2f2}
svg.plot text[fill=\"#222222\"]{fill:#e6e6e6;stroke:#16181d}
svg.plot [stroke=\"#777777\"]{stroke:#8a8f98}
svg.plot [stroke=\"#DDDDDD\"]{stroke:#343942}
svg.plot [stroke=\"#444444\"]{stroke:#c8ccd2}
svg.plot [fill=\"#444444\"]{fill:#c8ccd2}
svg.plot [stroke=\"#0072B2\"]{stroke:#5aa9e6}
svg.plot [fill=\"#0072B2\"]{fill:#5aa9e6}
svg.plot [stroke=\"#D55E00\"]{stroke:#f2874b}
svg.plot [fill=\"#D55E00\"]{fill:#f2874b}
svg.plot [stroke=\"#009E73\"]{stroke:#35c79a}
svg.plot [fill=\"#009E73\"]{fill:#35c79a}
svg.plot [stroke=\"#AA4499\"]{stroke:#dd8acb}
svg.plot [fill=\"#AA4499\"]{fill:#dd8acb}
svg.plot [stroke=\"#B88600\"]{stroke:#e6bd4a}
svg.plot [fill=\"#B88600\"]{fill:#e6bd4a}
svg.plot [stroke=\"#44AADD\"]{stroke:#a5dcf7}
svg.plot [fill=\"#44AADD\"]{fill:#a5dcf7}
svg.plot [stroke=\"#666666\"]{stroke:#b0b4ba}
svg.plot [fill=\"#666666\"]{fill:#b0b4ba}
}
";

/// The colour of a series, by number.
pub(super) fn colour(number: usize) -> RGBColor {
    SERIES[number % SERIES.len()]
}

/// How wide a text is, in CSS pixels, at about: the real width is known only where it is shown.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let letters = text.chars().map(|letter| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ' ' | '|' | '\'' => 0.33,
        'm' | 'w' | 'M' | 'W' => 0.9,
        letter if letter.is_uppercase() || !letter.is_ascii() => 0.72,
        _ => 0.57,
    });
    letters.sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_has_a_dark_counterpart() {
        let hex = |RGBColor(r, g, b): RGBColor| format!("#{r:02X}{g:02X}{b:02X}");
        for colour in SERIES {
            for attribute in ["fill", "stroke"] {
                assert!(DARK.contains(&format!("[{attribute}=\"{}\"]{{{attribute}:", hex(colour))));
            }
        }
        for (attribute, colour) in
            [("fill", BACKGROUND), ("fill", TEXT), ("fill", IN_CELL), ("stroke", AXIS), ("stroke", GRID)]
        {
            assert!(DARK.contains(&format!("[{attribute}=\"{}\"]{{{attribute}:", hex(colour))));
        }
    }
}
