//! The only axum: from request to typed values, one question to desk, bulletin or store, and an answer.
//!
//! This page is the table of contents of the API. Handlers parse, ask, and answer; they hold no SQL, no chess and no header
//! strings. What can be refused is in `domain::fault`, how it looks over HTTP in [`problem`].

pub mod answer;
pub mod caching;
mod castling;
mod describe;
mod docs;
mod draw_view;
mod draws;
mod entropy;
pub mod extract;
mod feed;
mod games;
pub mod harden;
pub mod health;
mod history;
pub mod layers;
mod log;
mod manual;
mod pairings;
mod past_draws;
mod positions;
pub mod problem;
mod rounds;
mod schemas;
pub mod slow_body;
pub mod start_positions;
mod state;
mod tokens;
mod tournaments;
pub mod trace;
mod uploads;
mod validate;

pub use state::AppState;

use crate::domain::fault::{Code, Fault};
use axum::{Router, http::Uri, routing::get};
use problem::Problem;
use utoipa::openapi::OpenApi;
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouter},
    routes,
};

/// Where the API is served.
pub const PLACE: &str = "/api/v1";

/// Everything the server answers.
pub fn router(state: AppState) -> Router {
    let (api, spec) = api();
    let docs = docs::Docs::new(&spec);
    let routes = Router::new()
        .merge(api)
        .route("/", get(docs::index))
        .route("/api/openapi.json", get(docs.clone().openapi()))
        .route("/api/docs", get(docs.page()))
        .route("/problems", get(docs::list_problems))
        .route("/problems/{code}", get(docs::show_problem))
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method);
    layers::around(routes, &state).with_state(state)
}

/// The OpenAPI document of this version.
pub fn openapi() -> OpenApi {
    api().1
}

fn api() -> (Router<AppState>, OpenApi) {
    Api::new()
        .routes(routes!(tournaments::create_tournament, tournaments::list_tournaments))
        .routes(routes!(tournaments::show_tournament, tournaments::amend_tournament))
        .routes(routes!(tournaments::cancel_tournament))
        .routes(routes!(tournaments::close_tournament))
        .routes(routes!(rounds::show_round, rounds::put_round))
        .routes(routes!(rounds::shift_rounds))
        .routes(routes!(rounds::release_round))
        .routes(routes!(entropy::post_dice))
        .routes(routes!(entropy::post_beacon))
        .routes(routes!(entropy::show_beacon_svg))
        .routes(routes!(pairings::put_pairings, pairings::show_pairings))
        .routes(routes!(draws::create_draw))
        .routes(routes!(draws::show_draw))
        .routes(routes!(draws::void_draw))
        .routes(routes!(manual::post_throws))
        .routes(routes!(manual::list_procedures))
        .routes(routes!(manual::replay))
        .routes(routes!(past_draws::list_draws))
        .routes(routes!(past_draws::list_draws_csv))
        .routes(routes!(past_draws::list_draws_ndjson))
        .routes(routes!(positions::show_position))
        .routes(routes!(positions::show_position_svg))
        .routes(routes!(positions::show_position_txt))
        .routes(routes!(positions::show_position_pgn))
        .routes(routes!(positions::show_board_position))
        .routes(routes!(positions::show_board_position_svg))
        .routes(routes!(positions::show_board_position_txt))
        .routes(routes!(positions::show_board_position_pgn))
        .routes(routes!(positions::list_positions))
        .routes(routes!(positions::list_positions_csv))
        .routes(routes!(positions::list_positions_txt))
        .routes(routes!(positions::list_positions_pgn))
        .routes(routes!(start_positions::show_start_position))
        .routes(routes!(start_positions::find_start_position))
        .routes(routes!(games::submit_game, games::list_games))
        .routes(routes!(games::show_game))
        .routes(routes!(games::show_record))
        .routes(routes!(games::annul_game))
        .routes(routes!(games::override_finding))
        .routes(routes!(feed::show_games_pgn))
        .routes(routes!(validate::validate_game))
        .routes(routes!(validate::list_findings))
        .routes(routes!(validate::list_verdicts))
        .routes(routes!(castling::explain_castling))
        .routes(routes!(history::show_history))
        .routes(routes!(history::show_history_csv))
        .routes(routes!(history::show_history_html))
        .routes(routes!(log::list_entries))
        .routes(routes!(log::show_checkpoint))
        .routes(routes!(log::show_vkey))
        .routes(routes!(log::show_receipt))
        .routes(routes!(log::show_consistency))
        .routes(routes!(log::show_bundle))
        .routes(routes!(log::list_witnesses))
        .routes(routes!(tokens::create_token, tokens::list_tokens))
        .routes(routes!(tokens::revoke_token))
        .into_parts()
}

/// The API, served and described. Each route is served at its whole path: inside a nested router, every request would have its
/// address rewritten.
struct Api {
    served: Router<AppState>,
    described: OpenApiRouter<AppState>,
}

impl Api {
    fn new() -> Self {
        Self { served: Router::new(), described: OpenApiRouter::with_openapi(describe::heading()) }
    }

    fn routes(self, routes: UtoipaMethodRouter<AppState>) -> Self {
        let serve = |served: Router<_>, path: &String| served.route(&format!("{PLACE}{path}"), routes.2.clone());
        let served = routes.1.paths.keys().fold(self.served, serve);
        Self { served, described: self.described.routes(routes) }
    }

    fn into_parts(self) -> (Router<AppState>, OpenApi) {
        (self.served, self.described.into_openapi())
    }
}

async fn nothing_here(uri: Uri) -> Problem {
    Problem(Fault::new(Code::RouteUnknown, format!("there is nothing at {}", uri.path())))
}

async fn wrong_method(uri: Uri) -> Problem {
    Problem(Fault::new(Code::MethodNotAllowed, format!("{} does not take this method", uri.path())))
}
