//! The description of the API agrees with the API.

use crate::support::TestServer;
use axum::http::Method;
use draw960::domain::fault::Code;
use std::collections::{BTreeMap, BTreeSet};

#[tokio::test]
async fn the_description_is_the_one_reviewed() {
    let server = TestServer::new().await;
    let spec = server.get("/api/openapi.json").await.done(200);
    assert!(spec["openapi"].as_str().unwrap().starts_with("3.1"));
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&spec).unwrap());
}

#[tokio::test]
async fn every_operation_has_a_name_of_its_own_a_summary_and_answers() {
    let server = TestServer::new().await;
    let spec = server.get("/api/openapi.json").await.json();
    let mut seen = BTreeSet::new();
    for (path, item) in spec["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no operationId"));
            assert!(seen.insert(id.to_owned()), "{id} twice");
            assert!(operation["summary"].as_str().is_some_and(|text| text.len() > 10), "{method} {path}");
            assert!(!operation["responses"].as_object().unwrap().is_empty(), "{method} {path}");
            let named: BTreeSet<_> = path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let described: BTreeSet<_> = parameters
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            assert_eq!(named, described, "{method} {path}");
        }
    }
}

/// Every described path exists, and takes the described methods and no others.
#[tokio::test]
async fn described_paths_exist_with_their_methods() {
    let server = TestServer::new().await;
    let mut methods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (method, path) in server.operations().await {
        methods.entry(path).or_default().insert(method);
    }
    for (path, described) in methods {
        let path = format!("/api/v1{}", path.replace("{n}", "0").replace(['{', '}'], ""));
        let refused = server.call(Method::OPTIONS, &path, "", None).await;
        refused.refused(405, "method-not-allowed");
        let mut allowed: BTreeSet<String> = refused.header("allow").split(',').map(|m| m.trim().to_owned()).collect();
        if allowed.contains("GET") {
            allowed.remove("HEAD");
        }
        assert_eq!(allowed, described, "{path}");
    }
}

/// `$ref` targets exist.
#[tokio::test]
async fn the_description_refers_to_nothing_that_is_missing() {
    let server = TestServer::new().await;
    let spec = server.get("/api/openapi.json").await.json();
    let text = spec.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).filter_map(|part| part.split('"').next()) {
        assert!(spec.pointer(reference).is_some(), "{reference}");
    }
}

#[tokio::test]
async fn every_problem_type_has_a_page() {
    let server = TestServer::new().await;
    let all = server.get("/problems").await;
    for code in Code::ALL {
        let page = server.get(&format!("/problems/{}", code.as_str())).await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(page.text().contains(code.as_str()) && all.text().contains(code.as_str()), "{code:?}");
    }
    server.get("/problems/no-such-problem").await.refused(404, "route-unknown");
}

/// Every code that an operation's description names is one of the closed list.
#[tokio::test]
async fn the_description_names_no_unknown_problem() {
    let server = TestServer::new().await;
    let spec = server.get("/api/openapi.json").await.json();
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    for (path, item) in spec["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let text = answer["description"].as_str().unwrap_or_default();
                let code =
                    |word: &&str| word.contains('-') && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
                for word in text.split([' ', ',', '.', ';', ':']).filter(code).filter(|_| status.starts_with('4')) {
                    assert!(known.contains(word), "{path} {status}: {word}");
                }
            }
        }
    }
}

#[tokio::test]
async fn the_documentation_page_lists_every_operation_without_the_network() {
    let server = TestServer::new().await;
    let page = server.get("/api/docs").await;
    assert_eq!(page.status, 200);
    for (method, path) in server.operations().await {
        assert!(page.text().contains(&format!("/api/v1{path}")), "{method} {path}");
    }
    for elsewhere in ["src=\"http", "href=\"http", "//cdn", "@import", "url(http"] {
        assert!(!page.text().contains(elsewhere), "{elsewhere}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_too() {
    let server = TestServer::new().await;
    for path in ["/api/v1/nothing", "/api/v2/tournaments", "/nothing", "/api/v1/tournaments/", "/api/v1/rounds/1"] {
        server.get(path).await.refused(404, "route-unknown");
    }
    let brew = Method::from_bytes(b"BREW").unwrap();
    for (method, path) in [(Method::DELETE, "/api/v1/tournaments"), (Method::PUT, "/api/v1/draws"), (brew, "/problems")]
    {
        server.call(method, path, "", None).await.refused(405, "method-not-allowed");
    }
    let head = server.call(Method::HEAD, "/api/v1/positions/518", "", None).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
}
