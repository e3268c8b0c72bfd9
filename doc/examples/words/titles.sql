-- Forms of address and titles, each to be left out: titles('en'), and 'de', 'fr', 'es'; NULL for another
-- language. For replace_words(strip_marks(name), titles('en')), since the words have no accents. What tells persons
-- apart is not among them: Jr and Sr in English, and a single letter that may be an initial.
--   psql -f titles.sql
-- An index that uses the function needs REINDEX after a change.
CREATE FUNCTION titles(language text) RETURNS jsonb IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
SELECT CASE language
WHEN 'en' THEN '{
    "mr": null, "mister": null, "mrs": null, "ms": null, "miss": null, "mx": null, "madam": null, "master": null, "dr": null, "doctor": null,
    "prof": null, "professor": null, "sir": null, "dame": null, "lord": null, "lady": null, "rev": null, "revd": null, "reverend": null, "fr": null,
    "father": null, "sister": null, "rabbi": null, "imam": null, "hon": null, "honourable": null, "honorable": null, "the hon": null, "judge": null,
    "capt": null, "captain": null, "col": null, "colonel": null, "lt": null, "lieutenant": null, "maj": null, "major": null, "gen": null,
    "general": null, "sgt": null, "sergeant": null, "esq": null, "esquire": null, "phd": null, "ph d": null, "dphil": null, "md": null, "m d": null,
    "mba": null, "msc": null, "bsc": null, "obe": null, "mbe": null, "cbe": null, "mp": null, "qc": null, "kc": null}'::jsonb
WHEN 'de' THEN '{
    "herr": null, "herrn": null, "hr": null, "hrn": null, "frau": null, "fr": null, "fraulein": null, "fraeulein": null, "frl": null, "dr": null,
    "doktor": null, "dr med": null, "dr phil": null, "dr jur": null, "dr ing": null, "dr rer nat": null, "dr rer pol": null, "dr h c": null,
    "dr med dent": null, "dr med vet": null, "prof": null, "professor": null, "professorin": null, "pd": null, "privatdozent": null, "dipl": null,
    "diplom": null, "dipl ing": null, "dipl kfm": null, "dipl phys": null, "mag": null, "magister": null, "ing": null, "ra": null,
    "rechtsanwalt": null, "rechtsanwaltin": null, "rechtsanwaeltin": null, "med": null, "ba": null, "ma": null, "b sc": null, "m sc": null}'::jsonb
WHEN 'fr' THEN '{
    "monsieur": null, "mr": null, "mm": null, "messieurs": null, "madame": null, "mme": null, "mmes": null, "mesdames": null, "mademoiselle": null,
    "mlle": null, "mlles": null, "dr": null, "docteur": null, "docteure": null, "pr": null, "prof": null, "professeur": null, "professeure": null,
    "me": null, "maitre": null, "mgr": null, "monseigneur": null, "pere": null, "soeur": null, "frere": null, "abbe": null, "general": null,
    "colonel": null, "capitaine": null, "veuve": null, "vve": null}'::jsonb
WHEN 'es' THEN '{
    "senor": null, "sr": null, "senora": null, "sra": null, "senorita": null, "srta": null, "don": null, "dona": null, "dn": null, "dna": null,
    "dr": null, "doctor": null, "dra": null, "doctora": null, "prof": null, "profesor": null, "profa": null, "profesora": null, "lic": null,
    "licenciado": null, "lcdo": null, "licenciada": null, "lcda": null, "ing": null, "ingeniero": null, "ingeniera": null, "arq": null,
    "arquitecto": null, "arquitecta": null, "abg": null, "abogado": null, "abogada": null, "padre": null, "sor": null, "fray": null, "excmo": null,
    "excma": null, "ilmo": null, "ilma": null, "vda": null, "viuda": null}'::jsonb
END
$$;
