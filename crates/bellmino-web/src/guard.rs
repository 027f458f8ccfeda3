//! Who may talk to the lab: pages that came from it, and programs of this machine; no foreign web page.
//!
//! A page of another site can make the browser send requests here, but it cannot choose the `Origin` header; a name
//! that an attacker points at this machine cannot pass for an address. So the host must be `localhost` or an address,
//! and an origin, where there is one, must be that host. And because other users of this machine can reach the address too,
//! whoever talks must know the lab's [`Token`]: it is part of the address that the lab prints, and then a cookie.

use std::fmt::Write;
use std::hint::black_box;
use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use thiserror::Error;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is no readable host.
    #[error("refused: the request names no host")]
    NoHost,
    /// There are several hosts, and who is meant is not clear.
    #[error("refused: the request names more than one host")]
    Hosts,
    /// The host is not this lab.
    #[error("refused: this lab does not answer to that host name; use the address it printed")]
    Host,
    /// The request comes from a page of another site.
    #[error("refused: a page of another site may not use the lab")]
    Origin,
    /// It does not know the token.
    #[error("refused: this lab asks for its token")]
    Token,
    /// A browser says that another site is behind the request.
    #[error("refused: another site may not use the lab")]
    Site,
}

/// What the browser is shown instead of the page.
pub const NO_TOKEN: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Bellmino</title>\
    <h1>This lab asks for its token</h1>\
    <p>Open the address that <code>bellmino lab</code> printed when it was started; it ends in <code>?token=</code> and \
    the token. Starting <code>bellmino lab</code> once more, as the same user, opens it too.</p>\
    <p>If you came here by a link from another page: <a href=\"/\">go on to the lab</a>.</p></html>";

/// The secret of one lab, made when it starts.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// 192 bits from the system, as text.
    pub fn new() -> io::Result<Token> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let mut text = String::new();
        for byte in bytes {
            // Writing to a text does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Token(text))
    }

    /// As it stands in the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the token; how long that takes does not tell where they differ.
    pub fn is(&self, text: &str) -> bool {
        let differing =
            self.0.bytes().zip(text.bytes()).fold(0, |all, (ours, theirs)| black_box(all | (ours ^ theirs)));
        differing == 0 && text.len() == self.0.len()
    }

    /// The cookie that keeps it. Browsers share cookies between the ports of a host, so that its name has the port.
    pub fn cookie(&self, port: u16) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(port), self.0)
    }

    /// Whether a request comes with the cookie.
    pub fn is_in(&self, headers: &HeaderMap, port: u16) -> bool {
        let name = cookie_name(port);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut cookies =
            cookies.flat_map(|cookies| cookies.split(';')).filter_map(|one| one.trim().split_once('='));
        cookies.any(|(known, token)| known == name && self.is(token))
    }
}

fn cookie_name(port: u16) -> String {
    format!("bellmino-{port}")
}

/// The token in the query of an address.
pub fn token_of(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|part| part.strip_prefix("token="))
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks where a request is addressed and where it comes from. Every header of a kind counts, and a host in the address of the
/// request must be the one of its header: else one who looks at the first and one who looks at the last would disagree.
pub fn check(uri: &Uri, headers: &HeaderMap, address: SocketAddr) -> Result<(), Refusal> {
    let texts = |name: &HeaderName| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
    let mut hosts = texts(&HOST);
    let host = hosts.next().ok_or(Refusal::NoHost)?;
    if hosts.next().is_some() || uri.authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(Refusal::Hosts);
    }
    if !is_own(host, address) {
        return Err(Refusal::Host);
    }
    // Chrome, Firefox and Safari send the origin with every WebSocket; programs may leave it out.
    if texts(&ORIGIN).any(|origin| origin.strip_prefix("http://") != Some(host)) {
        return Err(Refusal::Origin);
    }
    // A link from elsewhere may open the page (that is a navigation), but not fetch from it.
    let fetched = texts(&FETCH_SITE).any(|site| matches!(site, "cross-site" | "same-site"));
    let navigates = texts(&HeaderName::from_static("sec-fetch-mode")).eq(["navigate"]);
    if fetched && !navigates {
        return Err(Refusal::Site);
    }
    Ok(())
}

/// Headers that keep the page to itself.
pub fn protect(headers: &mut HeaderMap) {
    let policy = "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; \
                  form-action 'none'";
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Whether `host`, with its port, is this lab: `localhost` or an address; a loopback one if the lab listens there.
fn is_own(host: &str, address: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    if port != Some(address.port()) {
        return false;
    }
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match bare.parse::<IpAddr>() {
        Ok(ip) => !address.ip().is_loopback() || ip.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(bound: &str, headers: &[(&'static str, &'static str)]) -> Result<(), Refusal> {
        let headers = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        check(&Uri::from_static("/"), &headers, bound.parse().unwrap())
    }

    #[test]
    fn a_request_names_one_host() {
        let address = "127.0.0.1:7000".parse().unwrap();
        let headers = |hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            headers
        };
        let own = headers(&["127.0.0.1:7000"]);
        let asked = |uri: &'static str| check(&Uri::from_static(uri), &own, address);
        assert_eq!((asked("/socket"), asked("http://127.0.0.1:7000/socket")), (Ok(()), Ok(())));
        for uri in [
            "http://evil.example/",
            "http://evil.example:7000/",
            "http://localhost:7000/",
            "http://a@127.0.0.1:7000/",
            "evil.example:7000",
        ] {
            assert_eq!(asked(uri), Err(Refusal::Hosts), "{uri}");
        }
        for hosts in
            [["127.0.0.1:7000", "evil.example"], ["evil.example", "127.0.0.1:7000"], ["127.0.0.1:7000"; 2]]
        {
            assert_eq!(
                check(&Uri::from_static("/"), &headers(&hosts), address),
                Err(Refusal::Hosts),
                "{hosts:?}"
            );
        }
        let mut origins = own.clone();
        origins.append(ORIGIN, HeaderValue::from_static("http://127.0.0.1:7000"));
        assert_eq!(check(&Uri::from_static("/"), &origins, address), Ok(()));
        origins.append(ORIGIN, HeaderValue::from_static("http://evil.example"));
        assert_eq!(check(&Uri::from_static("/"), &origins, address), Err(Refusal::Origin));
    }

    #[test]
    fn own_pages_and_local_programs_pass() {
        for host in ["localhost:7000", "127.0.0.1:7000", "[::1]:7000", "LOCALHOST:7000"] {
            assert_eq!(checked("127.0.0.1:7000", &[("host", host)]), Ok(()), "{host}");
        }
        let page = [
            ("host", "127.0.0.1:7000"),
            ("origin", "http://127.0.0.1:7000"),
            ("sec-fetch-site", "same-origin"),
        ];
        assert_eq!(checked("127.0.0.1:7000", &page), Ok(()));
        assert_eq!(checked("0.0.0.0:7000", &[("host", "192.168.1.5:7000")]), Ok(()));
        let link =
            [("host", "localhost:7000"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert_eq!(checked("127.0.0.1:7000", &link), Ok(()));
    }

    #[test]
    fn the_token_is_known_or_not() {
        let token = Token::new().unwrap();
        assert_eq!(token.as_str().len(), 48);
        assert!(!token.is(Token::new().unwrap().as_str()), "each lab has its own");
        let text = token.as_str();
        assert!(token.is(text));
        for other in ["", "0", &text[1..], &format!("{text}0"), &text.to_uppercase().replace('A', "b")] {
            assert!(!token.is(other), "{other}");
        }
        let headers = |cookie: &str| HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(cookie).unwrap())]);
        assert!(token.is_in(&headers(&format!("a=b; bellmino-7000={text}")), 7000));
        assert!(!token.is_in(&headers(&format!("bellmino-7001={text}; bellmino-7000=x")), 7000));
        assert!(!token.is_in(&HeaderMap::new(), 7000));
        assert_eq!(token_of(Some("a=1&token=xyz")), Some("xyz"));
        assert_eq!((token_of(Some("atoken=xyz")), token_of(None)), (None, None));
        let cookie = token.cookie(7000);
        assert!(
            cookie.starts_with("bellmino-7000=")
                && cookie.contains("SameSite=Strict")
                && cookie.contains("HttpOnly")
        );
    }

    #[test]
    fn others_do_not() {
        let check = |headers: &[_], expected: Refusal| {
            assert_eq!(checked("127.0.0.1:7000", headers), Err(expected), "{headers:?}");
        };
        check(&[], Refusal::NoHost);
        for host in [
            "evil.example:7000",
            "localhost",
            "localhost:7001",
            "192.168.1.5:7000",
            "127.0.0.1.evil.example:7000",
            ":7000",
            "localhost:",
        ] {
            check(&[("host", host)], Refusal::Host);
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:7000",
            "http://127.0.0.1:7001",
            "http://localhost:7000",
        ] {
            check(&[("host", "127.0.0.1:7000"), ("origin", origin)], Refusal::Origin);
        }
        check(
            &[("host", "127.0.0.1:7000"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")],
            Refusal::Site,
        );
        assert_eq!(checked("0.0.0.0:7000", &[("host", "evil.example:7000")]), Err(Refusal::Host));
    }
}
