-- Legal forms of companies, and words that come and go in their names, each to be left out: legal_forms('en'),
-- and 'de', 'fr', 'es'; NULL for another language. For replace_words(strip_marks(name), legal_forms('en')), since
-- the words have no accents. An abbreviation with full stops, such as S.A., is words of one letter.
--   psql -f legal_forms.sql
-- Lists of several countries are one by ||. An index that uses the function needs REINDEX after a change.
CREATE FUNCTION legal_forms(language text) RETURNS jsonb IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
SELECT CASE language
WHEN 'en' THEN '{
    "incorporated": null, "inc": null, "corporation": null, "corp": null, "company": null, "co": null, "limited": null, "ltd": null,
    "unlimited": null, "llc": null, "l l c": null, "limited liability company": null, "llp": null, "l l p": null,
    "limited liability partnership": null, "lp": null, "l p": null, "limited partnership": null, "plc": null, "p l c": null,
    "public limited company": null, "pllc": null, "pc": null, "p c": null, "pty": null, "proprietary": null, "pvt": null, "private limited": null,
    "cic": null, "community interest company": null, "the": null, "and": null, "of": null}'::jsonb
WHEN 'de' THEN '{
    "gmbh": null, "g m b h": null, "mbh": null, "m b h": null, "gesellschaft mit beschrankter haftung": null,
    "gesellschaft mit beschraenkter haftung": null, "ggmbh": null, "ag": null, "a g": null, "aktiengesellschaft": null, "kg": null, "k g": null,
    "kommanditgesellschaft": null, "kgaa": null, "kommanditgesellschaft auf aktien": null, "ohg": null, "o h g": null,
    "offene handelsgesellschaft": null, "gbr": null, "gesellschaft burgerlichen rechts": null, "gesellschaft buergerlichen rechts": null, "ug": null,
    "u g": null, "unternehmergesellschaft": null, "haftungsbeschrankt": null, "haftungsbeschraenkt": null, "ek": null, "e k": null,
    "eingetragener kaufmann": null, "eingetragene kauffrau": null, "ev": null, "e v": null, "eingetragener verein": null, "eg": null, "e g": null,
    "eingetragene genossenschaft": null, "partg": null, "partgmbb": null, "partnerschaftsgesellschaft": null, "se": null, "stiftung": null,
    "gesellschaft": null, "ges": null, "m b": null, "co": null, "compagnie": null, "cie": null, "und": null, "u": null, "der": null, "die": null,
    "das": null, "fur": null, "fuer": null}'::jsonb
WHEN 'fr' THEN '{
    "sa": null, "s a": null, "societe anonyme": null, "sas": null, "s a s": null, "societe par actions simplifiee": null, "sasu": null,
    "s a s u": null, "societe par actions simplifiee unipersonnelle": null, "sarl": null, "s a r l": null, "societe a responsabilite limitee": null,
    "eurl": null, "e u r l": null, "entreprise unipersonnelle a responsabilite limitee": null, "snc": null, "s n c": null,
    "societe en nom collectif": null, "sci": null, "s c i": null, "societe civile immobiliere": null, "scs": null,
    "societe en commandite simple": null, "sca": null, "s c a": null, "societe en commandite par actions": null, "scop": null, "selarl": null,
    "scp": null, "gie": null, "ei": null, "eirl": null, "societe": null, "ste": null, "ets": null, "etablissements": null, "etablissement": null,
    "compagnie": null, "cie": null, "et": null, "le": null, "la": null, "les": null, "l": null, "de": null, "du": null, "des": null, "d": null}'::jsonb
WHEN 'es' THEN '{
    "sa": null, "s a": null, "sociedad anonima": null, "sau": null, "s a u": null, "sociedad anonima unipersonal": null, "sl": null, "s l": null,
    "sociedad limitada": null, "slu": null, "s l u": null, "sociedad limitada unipersonal": null, "srl": null, "s r l": null,
    "sociedad de responsabilidad limitada": null, "s de r l": null, "sll": null, "s l l": null, "sociedad limitada laboral": null, "sal": null,
    "s a l": null, "sociedad anonima laboral": null, "slp": null, "s l p": null, "sociedad limitada profesional": null, "sc": null, "s c": null,
    "sociedad civil": null, "cb": null, "c b": null, "comunidad de bienes": null, "s coop": null, "scoop": null, "sociedad cooperativa": null,
    "sociedad colectiva": null, "de c v": null, "de cv": null, "sa de cv": null, "s a de c v": null, "sapi": null, "sas": null, "s a s": null,
    "ltda": null, "limitada": null, "sociedad": null, "compania": null, "cia": null, "y": null, "e": null, "el": null, "la": null, "los": null,
    "las": null, "de": null, "del": null}'::jsonb
END
$$;
