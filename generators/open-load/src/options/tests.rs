use super::*;

fn parsed(line: &str) -> Result<Command, String> {
    parse(line.split_whitespace().map(OsString::from))
}

fn options(line: &str) -> Options {
    match parsed(line) {
        Ok(Command::Run(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn options_may_stand_before_and_after_the_url() {
    let found = options(
        "--rate 2.5 http://localhost/ --seconds 3 --lead-in 0.5 --http 1.0 --connections new --arrivals constant",
    );
    let load = Load::Open { rate: 2.5, arrivals: Spacing::Constant, seed: 1, max_connections: 10_000 };
    assert_eq!((found.load, found.seconds, found.lead_in), (load, 3.0, 0.5));
    assert_eq!((found.http, found.connections), (Version::Http10, Connections::New));
}

#[test]
fn a_load_beside_it_has_a_rate_and_a_path_and_connections_for_all_that_can_be_under_way() {
    let found = options("--rate 300 --timeout 10 --threads 2 --beside 10=/a?b=c --beside-expect f http://h/");
    let load = Load::Open { rate: 10.0, arrivals: Spacing::Constant, seed: 1, max_connections: 112 };
    let beside = Beside { load, path: "/a?b=c".to_owned(), expect: Some("f".into()) };
    assert_eq!(found.loads().collect::<Vec<_>>(), [&found.load, &beside.load]);
    assert_eq!(found.beside, Some(beside));
    assert_eq!(options("--closed 1 http://h/").loads().count(), 1);
}

#[test]
fn a_header_is_a_name_and_a_value_on_one_line() {
    assert_eq!(header("Accept-Encoding:gzip "), Ok("Accept-Encoding: gzip".to_owned()));
    assert_eq!(header("X-Empty:"), Ok("X-Empty: ".to_owned()));
    for (text, said) in [
        ("gzip", "has no colon"),
        (": gzip", "has no name"),
        ("Accept Encoding: gzip", "has no name"),
        ("X: a\r\nY: b", "not printable ASCII"),
        ("X: ä", "not printable ASCII"),
        ("host: other", "open-load decides"),
    ] {
        let error = header(text).expect_err(text);
        assert!(error.contains(said) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn help_and_version_need_nothing_else() {
    assert_eq!(parsed("--help"), Ok(Command::Help));
    assert_eq!(parsed("-V"), Ok(Command::Version));
}

#[test]
fn the_head_of_a_request_needs_no_load() {
    let expected = request::head("h:81", "/a", Version::Http10, Connections::New, &["X: y".to_owned()]);
    let parts = ["--print-head", "--http", "1.0", "--connections", "new", "--header", "X:y", "http://h:81/a"];
    assert_eq!(parse(parts.map(OsString::from)), Ok(Command::Head(expected.clone())));
    let whole_command_line = ["--rate", "5", "--expect-echo", "--json"].into_iter().chain(parts);
    assert_eq!(parse(whole_command_line.map(OsString::from)), Ok(Command::Head(expected)));
    assert!(parsed("--print-head h").is_err());
}

#[test]
fn the_help_names_every_option_and_its_default() {
    for word in [
        "[10000]",
        "--at-most",
        "--cpus",
        "--expect-echo",
        "--beside",
        "--open",
        "--idle",
        "--spin",
        "--seed",
        "--print-head",
        "exit codes",
    ] {
        assert!(HELP.contains(word), "{word}");
    }
}

#[test]
fn wrong_usage_is_said_in_one_line() {
    for (line, said) in [
        ("", "no URL"),
        ("http://h/", "give --rate R"),
        ("--rate 1 --closed 1 http://h/", "exclude each other"),
        ("--rate 0 http://h/", "--rate must be a number from 0.001"),
        ("--rate NaN http://h/", "--rate must be a number"),
        ("--rate inf http://h/", "--rate must be a number"),
        ("--rate 0.1 --seconds 1 http://h/", "no request"),
        ("--rate 1000000 --seconds 10000 http://h/", "more than 1000000000"),
        ("--closed 1.5 http://h/", "--closed must be a number from 1"),
        ("--closed 1 --threads 2 http://h/", "fewer --threads"),
        ("--rate 1 --lead-in -1 http://h/", "--lead-in must be a number from 0"),
        ("--rate 1 --at-most 0 http://h/", "--at-most must be a number from 1"),
        ("--rate 1 --seconds 5 --at-most 4 http://h/", "--at-most 4 is less than --seconds 5"),
        ("--rate 1 --seconds 1.5 --at-most 4 http://h/", "whole seconds"),
        ("--rate 1 --cpus 0, http://h/", "--cpus must be numbers"),
        ("--rate 1 --open 10001 http://h/", "--open 10001 is more than the 10000 connections"),
        ("--rate 1 --open 1 --connections new http://h/", "--open needs kept connections"),
        ("--rate 1 --beside 10 http://h/", "must be a rate and a path"),
        ("--rate 1 --beside 10=a http://h/", "begins with a slash"),
        ("--rate 1 --beside 10=/ä http://h/", "no path of printable ASCII"),
        ("--rate 1 --beside 0=/ http://h/", "has no rate from 0.001"),
        ("--rate 1 --beside NaN=/ http://h/", "has no rate from 0.001"),
        ("--rate 1 --beside 0.01=/ http://h/", "0.01 arrivals per second for 10 s are no request"),
        ("--rate 1 --beside-expect f http://h/", "--beside-expect needs --beside"),
        ("--rate 1 --http 2 http://h/", "--http must be 1.0 or 1.1, not '2'"),
        ("--rate 1 --expect-echo --expect f http://h/", "exclude each other"),
        ("--rate 1 http://h/ http://h/", "unexpected argument"),
        ("--rate 1 --nonsense http://h/", "invalid option '--nonsense'"),
        ("--rate", "missing argument"),
    ] {
        let error = parsed(line).expect_err(line);
        assert!(error.contains(said) && !error.contains('\n'), "{line}: {error}");
    }
}

#[test]
fn a_url_has_a_host_and_may_have_a_port_and_a_path() {
    let parts = |text| url(text).map(|url| (url.host, url.port, url.path)).unwrap();
    let expected = |host: &str, port, path: &str| (host.to_owned(), port, path.to_owned());
    assert_eq!(parts("http://h"), expected("h", 80, "/"));
    assert_eq!(parts("http://h:81/a/b?c:d"), expected("h", 81, "/a/b?c:d"));
    assert_eq!(parts("http://h?x"), expected("h", 80, "/?x"));
    assert_eq!(parts("http://[::1]:81/"), expected("::1", 81, "/"));
    assert_eq!(parts("http://[::1]/"), expected("::1", 80, "/"));
    assert_eq!(url("http://h:81/").unwrap().authority, "h:81");
    for wrong in
        ["h", "https://h/", "http://", "http:///x", "http://h:x/", "http://h:65536/", "http://u@h/", "http://h/ä"]
    {
        assert!(url(wrong).is_err(), "{wrong}");
    }
}
