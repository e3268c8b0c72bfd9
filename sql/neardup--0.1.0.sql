\echo Use "CREATE EXTENSION neardup" to load this file. \quit

--
-- text: normalization and fingerprints
--

--
-- tokenset: type, input and output
--

--
-- tokenset: from text, arrays and tsvector
--

--
-- tokenset: set algebra, order and hash
--

--
-- tokenset: measures and predicates
--

--
-- tokenset: aggregates
--

--
-- join: exact set-similarity joins
--
