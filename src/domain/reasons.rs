//! Closed lists of reasons, each with its code, its article and what it means.

/// Makes a closed list: an enum with its code, article and meaning for every variant.
macro_rules! reasons {
    ($(#[$doc:meta])* $list:ident { $($name:ident $code:literal $article:literal $meaning:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $list { $(#[doc = $meaning] $name,)* }

        impl $list {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word used in the API.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The article of the FIDE Laws, or of their Guidelines II, that it rests on.
            pub const fn article(self) -> &'static str {
                match self { $(Self::$name => $article,)* }
            }

            /// What it means.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

pub(crate) use reasons;
