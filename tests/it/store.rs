//! The database keeps its promises against any program that opens it, not only against ours.

use crate::support::TestServer;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection, sqlite::SqliteConnectOptions};

/// A connection as any tool would open it: no pragma of ours, so recursive triggers are off.
async fn plain(server: &TestServer) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(server.folder.path().join("draw960.db")).foreign_keys(false);
    let mut conn = SqliteConnection::connect_with(&options).await.unwrap();
    let recursive: i64 = sqlx::query_scalar("pragma recursive_triggers").fetch_one(&mut conn).await.unwrap();
    assert_eq!(recursive, 0);
    conn
}

/// Runs a statement past the program.
pub async fn execute(server: &TestServer, sql: &str) -> Result<u64, sqlx::Error> {
    sqlx::query(AssertSqlSafe(sql)).execute(&mut plain(server).await).await.map(|done| done.rows_affected())
}

/// A database with a row in every append-only table: a released draw, a voided one.
async fn lived_in() -> TestServer {
    let server = TestServer::new().await;
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T15:00"}]);
    let t = server.tournament("kaunas-2026", json!({}), rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    let draw = server.get(&t.at("/rounds/2")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "wrong-entry"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    server
}

#[tokio::test]
async fn what_was_recorded_cannot_be_changed_or_deleted() {
    let server = lived_in().await;
    for sql in [
        "update leaf set entry = x'00' where idx = 0",
        "delete from leaf",
        "delete from leaf where idx = (select max(idx) from leaf)",
        "update draw set commitment = 'x'",
        "delete from draw",
        "update draw_release set number = 518",
        "delete from draw_release",
        "update draw_void set reason = 'leaked'",
        "delete from draw_void",
        "update tournament set slug = 'other'",
        "update tournament set master_commit = 'x'",
        "delete from tournament",
    ] {
        let refused = execute(&server, sql).await;
        assert!(refused.is_err(), "{sql}: {refused:?}");
    }
}

/// `INSERT OR REPLACE` deletes rows without delete triggers while recursive triggers are off.
#[tokio::test]
async fn replacing_inserts_are_refused_too() {
    let server = lived_in().await;
    let before = server.get("/api/v1/draws.ndjson").await.text();
    for sql in [
        "insert or replace into leaf select idx, x'00', leaf_hash from leaf where idx = 2",
        "replace into leaf select idx, x'00', leaf_hash from leaf where idx = (select max(idx) from leaf)",
        "insert into leaf values (999, x'00', zeroblob(32))",
        "insert or replace into draw select id, tournament_id, round, board, attempt, serves_from, ordered_at, ordered_by,
            sources, excluded, repeats, 'x', leaf from draw",
        "insert or replace into draw select 'drw_other', tournament_id, round, board, attempt, serves_from, ordered_at,
            ordered_by, sources, excluded, repeats, 'x', leaf from draw where round = 1",
        "insert or replace into draw select 'drw_other', tournament_id, round, board, attempt + 1, serves_from, ordered_at,
            ordered_by, sources, excluded, repeats, 'x', leaf from draw where round = 1",
        "insert or replace into draw_release select draw_id, released_at, released_by, 518, secret, entropy, used, seed,
            words_used, leaf from draw_release",
        "insert or replace into draw_release select (select draw_id from draw_void), released_at, released_by, 518, secret,
            entropy, used, seed, words_used, leaf from draw_release",
        "insert or replace into draw_void select draw_id, voided_at, voided_by, 'leaked', knowable, from_round, after_start,
            secret, leaf from draw_void",
        "insert or replace into tournament select id, slug, 'Other', time_zone, policy, origin, master_sealed, master_commit,
            created_at, ended_at, ended_how from tournament",
        "insert into draw on conflict do nothing",
    ] {
        let refused = execute(&server, sql).await;
        assert!(refused.is_err(), "{sql}: {refused:?}");
    }
    assert_eq!(server.get("/api/v1/draws.ndjson").await.text(), before);
}

#[tokio::test]
async fn the_program_writes_durably_and_to_sound_tables() {
    let server = lived_in().await;
    let mut conn = plain(&server).await;
    let journal: String = sqlx::query_scalar("pragma journal_mode").fetch_one(&mut conn).await.unwrap();
    assert_eq!(journal, "wal");
    let tables = sqlx::query(
        "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like '_sqlx%'",
    );
    for table in tables.fetch_all(&mut conn).await.unwrap() {
        let (name, sql): (String, String) = (table.get(0), table.get(1));
        assert!(sql.trim_end().to_lowercase().ends_with("strict"), "{name} is not strict");
    }
    let orphans = sqlx::query("pragma foreign_key_check").fetch_all(&mut conn).await.unwrap();
    assert!(orphans.is_empty());
}

#[tokio::test]
async fn the_schema_is_the_one_reviewed() {
    let server = TestServer::new().await;
    let mut conn = plain(&server).await;
    let rows = sqlx::query_scalar::<_, String>(
        "select sql from sqlite_schema where sql is not null and name not like '_sqlx%' order by tbl_name, type desc, name",
    );
    let schema = rows.fetch_all(&mut conn).await.unwrap().join(";\n\n");
    insta::assert_snapshot!("schema", schema);
}

/// An entry altered on disk is noticed at the next start.
#[tokio::test]
async fn an_altered_entry_keeps_the_server_from_starting() {
    let server = lived_in().await;
    let mut conn = plain(&server).await;
    sqlx::query("drop trigger leaf_no_update").execute(&mut conn).await.unwrap();
    sqlx::query("update leaf set entry = cast(replace(entry, '1', '2') as blob) where idx = 1")
        .execute(&mut conn)
        .await
        .unwrap();
    drop(conn);
    let opened = crate::support::try_open(&server).await;
    let why = opened.err().map(|why| why.to_string()).unwrap_or_default();
    assert!(why.contains("entry 1 of the log was altered"), "{why}");
}
