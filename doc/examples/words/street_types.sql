-- Street types and other words of addresses, with what replaces them: street_types('en'), and 'de', 'fr',
-- 'es'; NULL for another language. For replace_words(strip_marks(address), street_types('en')), since the words
-- have no accents. Abbreviations are the values: "St" may be a street or a saint, "Dr" a drive or a doctor. What stands
-- before the number of a unit is left out in English (unit, apt, rm, ste), since "#" is no word.
--   psql -f street_types.sql
-- Extend it by || with a list of your own. An index that uses the function needs REINDEX after a change.
CREATE FUNCTION street_types(language text) RETURNS jsonb IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
SELECT CASE language
WHEN 'en' THEN '{
    "street": "st", "str": "st", "saint": "st", "avenue": "ave", "av": "ave", "aven": "ave", "boulevard": "blvd", "boul": "blvd", "bvd": "blvd",
    "road": "rd", "drive": "dr", "drv": "dr", "doctor": "dr", "lane": "ln", "court": "ct", "crt": "ct", "place": "pl", "plc": "pl", "square": "sq",
    "terrace": "ter", "terr": "ter", "tce": "ter", "crescent": "cres", "cresc": "cres", "close": "cl", "clo": "cl", "grove": "grv", "gro": "grv",
    "gardens": "gdns", "garden": "gdns", "gdn": "gdns", "highway": "hwy", "hiway": "hwy", "parkway": "pkwy", "pkway": "pkwy", "pky": "pkwy",
    "circle": "cir", "circ": "cir", "trail": "trl", "alley": "aly", "ally": "aly", "expressway": "expy", "expwy": "expy", "freeway": "fwy",
    "turnpike": "tpke", "mount": "mt", "mountain": "mtn", "fort": "ft", "heights": "hts", "hgts": "hts", "park": "pk", "point": "pt",
    "junction": "jct", "junc": "jct", "bridge": "brg", "route": "rte", "rt": "rte", "parade": "pde", "esplanade": "esp", "mews": "mws", "north": "n",
    "south": "s", "east": "e", "west": "w", "north east": "ne", "northeast": "ne", "north west": "nw", "northwest": "nw", "south east": "se",
    "southeast": "se", "south west": "sw", "southwest": "sw", "floor": "fl", "flr": "fl", "building": "bldg",
    "bld": "bldg", "number": "no", "num": "no", "post office box": "pobox", "p o box": "pobox", "po box": "pobox", "first": "1st", "second": "2nd",
    "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
    "apartment": null, "apt": null, "unit": null, "room": null, "rm": null, "suite": null, "ste": null}'::jsonb
WHEN 'de' THEN '{
    "strasse": "str", "platz": "pl", "gasse": "g", "chaussee": "ch", "sankt": "st", "nummer": "nr", "hausnummer": "nr", "hnr": "nr", "postfach": "pf",
    "obergeschoss": "og", "erdgeschoss": "eg", "stockwerk": "og", "stock": "og", "etage": "og", "hinterhaus": "hh", "vorderhaus": "vh",
    "an der": "a d", "an dem": "a d", "am": "a d", "auf der": "a d", "auf dem": "a d", "in der": "i d", "in dem": "i d", "im": "i d", "bei": "b",
    "doktor": "dr", "professor": "prof", "burgermeister": "bgm", "buergermeister": "bgm", "grosse": "gr", "grosser": "gr", "kleine": "kl",
    "kleiner": "kl", "obere": "ob", "oberer": "ob", "untere": "unt", "unterer": "unt", "alte": "alt", "alter": "alt", "neue": "neu", "neuer": "neu"}'::jsonb
WHEN 'fr' THEN '{
    "rue": "r", "avenue": "av", "ave": "av", "boulevard": "bd", "boul": "bd", "bld": "bd", "blvd": "bd", "bvd": "bd", "place": "pl", "chemin": "ch",
    "che": "ch", "chem": "ch", "impasse": "imp", "allee": "all", "allees": "all", "route": "rte", "square": "sq", "faubourg": "fg", "fbg": "fg",
    "saint": "st", "sainte": "ste", "saints": "sts", "saintes": "stes", "cours": "crs", "passage": "pass", "residence": "res", "lotissement": "lot",
    "batiment": "bat", "escalier": "esc", "appartement": "apt", "appt": "apt", "app": "apt", "etage": "et", "numero": "no", "num": "no",
    "docteur": "dr", "general": "gal", "gen": "gal", "marechal": "mal", "professeur": "pr", "president": "pdt", "capitaine": "cne", "colonel": "col",
    "boite postale": "bp", "b p": "bp", "lieu dit": "ld", "lieudit": "ld", "rond point": "rpt", "zone industrielle": "zi", "z i": "zi",
    "zone artisanale": "za", "z a": "za", "quartier": "qu", "bis": "b", "ter": "t", "de": null, "du": null, "des": null, "la": null, "le": null,
    "les": null, "l": null, "d": null, "a": null, "au": null, "aux": null}'::jsonb
WHEN 'es' THEN '{
    "calle": "c", "cl": "c", "avenida": "av", "avda": "av", "avd": "av", "ave": "av", "plaza": "pl", "pza": "pl", "plz": "pl", "plazuela": "plzla",
    "paseo": "ps", "pso": "ps", "po": "ps", "carretera": "ctra", "crta": "ctra", "camino": "cno", "cmno": "cno", "cam": "cno", "travesia": "trva",
    "trav": "trva", "tr": "trva", "ronda": "rda", "rnda": "rda", "glorieta": "gta", "pasaje": "pje", "psje": "pje", "urbanizacion": "urb",
    "poligono": "pol", "plgno": "pol", "edificio": "edif", "ed": "edif", "bloque": "blq", "bl": "blq", "escalera": "esc", "portal": "ptal",
    "puerta": "pta", "piso": "p", "planta": "p", "bajo": "bj", "bajos": "bj", "entresuelo": "entlo", "principal": "pral", "numero": "no", "num": "no",
    "nro": "no", "apartado": "apdo", "apartado de correos": "apdo", "izquierda": "izda", "izq": "izda", "derecha": "dcha", "der": "dcha",
    "santa": "sta", "santo": "sto", "doctor": "dr", "doctora": "dra", "general": "gral", "nuestra senora": "ntra sra", "sin numero": "sn",
    "s n": "sn", "primero": "1", "primera": "1", "segundo": "2", "segunda": "2", "tercero": "3", "tercera": "3", "cuarto": "4", "cuarta": "4",
    "quinto": "5", "quinta": "5", "de": null, "del": null, "la": null, "las": null, "los": null, "el": null, "y": null}'::jsonb
END
$$;
