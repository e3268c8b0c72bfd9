-- Given names and their short forms, as one name for each family of them: nicknames('en'), and 'de', 'fr',
-- 'es'; NULL for another language. For replace_words(strip_marks(name), nicknames('en')), since the names have no
-- accents. A short form of several names has all of them for its family: Alex is Alexander and Alexandra; Kit has two
-- families. nickname_list makes a list of pairs as they are published, which keeps such names apart.
--   psql -f nicknames.sql
-- An index that uses the function needs REINDEX after a change.
CREATE FUNCTION nicknames(language text) RETURNS jsonb IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
SELECT CASE language
WHEN 'en' THEN '{
    "abigail": "abby", "abbie": "abby", "alexander": "alex", "alexandra": "alex", "alec": "alex", "sandy": "alex", "xander": "alex",
    "alfred": "alfie", "alf": "alfie", "amanda": "mandy", "andrew": "andy", "drew": "andy", "anthony": "tony", "antony": "tony", "ant": "tony",
    "arthur": "art", "barbara": "barb", "barbie": "barb", "babs": "barb", "benjamin": "ben", "benny": "ben", "bernard": "bernie", "bradley": "brad",
    "caroline": "carrie", "carolyn": "carrie", "catherine": "kate", "katherine": "kate", "kathryn": "kate", "kathleen": "kate", "cathy": "kate",
    "kathy": "kate", "katie": "kate", "kitty": "kate", "kath": "kate", "kay": "kate", "charles": "charlie", "chas": "charlie", "chuck": "charlie",
    "charlotte": "charlie", "christopher": "chris", "christine": "chris", "christina": "chris", "christian": "chris", "kit": "chris kate",
    "tina": "chris", "cynthia": "cindy", "daniel": "dan", "danny": "dan", "danielle": "dan", "david": "dave", "davey": "dave", "deborah": "debbie",
    "debra": "debbie", "deb": "debbie", "donald": "don", "donnie": "don", "dorothy": "dot", "dottie": "dot", "dolly": "dot", "douglas": "doug",
    "edward": "ed", "eddie": "ed", "edwin": "ed", "edmund": "ed", "ned": "ed", "ted": "ed", "teddy": "ed", "theodore": "ed", "eleanor": "nell",
    "ellie": "nell", "nellie": "nell", "elizabeth": "liz", "elisabeth": "liz", "lizzie": "liz", "lizzy": "liz", "eliza": "liz", "beth": "liz",
    "betty": "liz", "betsy": "liz", "bess": "liz", "libby": "liz", "emily": "em", "eugene": "gene", "florence": "flo", "frances": "fran",
    "frankie": "fran", "francis": "fran", "frank": "fran", "franklin": "fran", "frederick": "fred", "freddie": "fred", "freda": "fred",
    "gabriel": "gabe", "gabrielle": "gabe", "geoffrey": "geoff", "jeffrey": "geoff", "jeff": "geoff", "gerald": "jerry", "gerard": "jerry",
    "jerome": "jerry", "gregory": "greg", "gwendolyn": "gwen", "harold": "harry", "henry": "harry", "hank": "harry", "hal": "harry",
    "harriet": "harry", "isabel": "izzy", "isabella": "izzy", "isabelle": "izzy", "bella": "izzy", "jacob": "jake", "james": "jim", "jimmy": "jim",
    "jamie": "jim", "jacqueline": "jackie", "janet": "jan", "janice": "jan", "jennifer": "jen", "jenny": "jen", "jenna": "jen", "jessica": "jess",
    "jessie": "jess", "john": "jack", "johnny": "jack", "jon": "jack", "jonathan": "jack", "johnathan": "jack", "joseph": "joe", "joey": "joe",
    "josephine": "jo", "joanna": "jo", "joanne": "jo", "joan": "jo", "joshua": "josh", "judith": "judy", "julia": "julie", "juliet": "julie",
    "kenneth": "ken", "kenny": "ken", "kimberly": "kim", "kimberley": "kim", "lawrence": "larry", "laurence": "larry", "leonard": "len",
    "lenny": "len", "louis": "lou", "lewis": "lou", "louise": "lou", "madeleine": "maddie", "madeline": "maddie", "margaret": "peggy",
    "maggie": "peggy", "meg": "peggy", "marge": "peggy", "margie": "peggy", "peg": "peggy", "greta": "peggy", "martha": "marty", "martin": "marty",
    "mary": "molly", "polly": "molly", "matthew": "matt", "matty": "matt", "maximilian": "max", "maxwell": "max", "maxine": "max", "melissa": "mel",
    "melanie": "mel", "michael": "mike", "mick": "mike", "mickey": "mike", "micky": "mike", "mikey": "mike", "michelle": "shelly", "nancy": "nan",
    "anne": "ann", "anna": "ann", "annie": "ann", "natalie": "nat", "nathan": "nat", "nathaniel": "nat", "nate": "nat", "nicholas": "nick",
    "nicolas": "nick", "nicky": "nick", "nicola": "nick", "nicole": "nick", "oliver": "ollie", "olivia": "ollie", "pamela": "pam", "patrick": "pat",
    "patricia": "pat", "paddy": "pat", "patty": "pat", "patsy": "pat", "tricia": "pat", "trish": "pat", "peter": "pete", "philip": "phil",
    "phillip": "phil", "rachel": "rach", "raymond": "ray", "rebecca": "becky", "becca": "becky", "richard": "dick", "rich": "dick", "rick": "dick",
    "ricky": "dick", "richie": "dick", "robert": "bob", "rob": "bob", "robbie": "bob", "bobby": "bob", "bert": "bob", "ronald": "ron",
    "ronnie": "ron", "veronica": "ron", "russell": "russ", "samuel": "sam", "samantha": "sam", "sammy": "sam", "sarah": "sally", "sara": "sally",
    "stephen": "steve", "steven": "steve", "stevie": "steve", "stephanie": "steph", "stuart": "stu", "stewart": "stu", "susan": "sue",
    "susanna": "sue", "suzanne": "sue", "susie": "sue", "suzy": "sue", "terence": "terry", "terrence": "terry", "theresa": "terry", "teresa": "terry",
    "tess": "terry", "thomas": "tom", "tommy": "tom", "timothy": "tim", "timmy": "tim", "valerie": "val", "victor": "vic", "victoria": "vic",
    "vicky": "vic", "vickie": "vic", "vincent": "vince", "virginia": "ginny", "walter": "walt", "william": "bill", "will": "bill", "willie": "bill",
    "willy": "bill", "billy": "bill", "zachary": "zach", "zachariah": "zach", "zack": "zach", "katy": "kate", "kathie": "kate", "kathi": "kate",
    "cathie": "kate", "catie": "kate", "kat": "kate", "katharine": "kate", "liza": "liz", "lisa": "liz", "lise": "liz", "bettie": "liz",
    "bette": "liz", "elsie": "liz", "lib": "liz", "jonny": "jack", "johnnie": "jack", "jonnie": "jack", "robby": "bob", "bobbie": "bob",
    "robin": "bob", "dickie": "dick", "dicky": "dick", "rickie": "dick", "dickon": "dick", "ritchie": "dick", "patti": "pat", "pattie": "pat",
    "trisha": "pat", "maggy": "peggy", "mags": "peggy", "margot": "peggy", "meggie": "peggy", "marjorie": "peggy", "rita": "peggy", "jimmie": "jim",
    "jem": "jim", "charley": "charlie", "chaz": "charlie", "lottie": "charlie", "billie": "bill", "wm": "bill", "eddy": "ed", "teddie": "ed",
    "freddy": "fred", "debby": "debbie", "debbi": "debbie", "davy": "dave", "davie": "dave", "danni": "dan", "dannie": "dan", "donny": "don",
    "dotty": "dot", "mandi": "mandy", "toni": "tony", "andi": "andy", "barbra": "barb", "becki": "becky", "bernardine": "bernie", "cindi": "cindy",
    "christy": "chris", "christie": "chris", "kris": "chris", "kristin": "chris", "kristina": "chris", "gerry": "jerry", "gerri": "jerry",
    "jenni": "jen", "jennie": "jen", "josie": "jo", "judi": "judy", "judie": "judy", "louie": "lou", "mickie": "mike", "micah": "mike",
    "nicki": "nick", "nickie": "nick", "nikki": "nick", "petey": "pete", "sammie": "sam", "sandi": "alex", "lexi": "alex", "sadie": "sally",
    "stef": "steph", "stephie": "steph", "susy": "sue", "susi": "sue", "suzie": "sue", "suzi": "sue", "susannah": "sue", "suzanna": "sue",
    "teri": "terry", "terri": "terry", "tessa": "terry", "tommie": "tom", "thom": "tom", "vicki": "vic", "vikki": "vic", "wally": "walt",
    "zac": "zach", "zak": "zach", "nicolette": "nick", "mattie": "marty matt"}'::jsonb
WHEN 'de' THEN '{
    "alexander": "alex", "alexandra": "alex", "sascha": "alex", "andreas": "andi", "andrea": "andi", "anneliese": "anne", "annemarie": "anne",
    "anna": "anne", "anni": "anne", "antonia": "toni", "anton": "toni", "barbara": "babsi", "barbel": "babsi", "baerbel": "babsi", "benedikt": "beni",
    "benjamin": "beni", "bernhard": "bernd", "berthold": "bert", "hubert": "bert", "brigitte": "gitte", "gitta": "gitte", "birgit": "gitte",
    "charlotte": "lotte", "christian": "chris", "christoph": "chris", "christine": "chris", "christa": "chris", "kristin": "chris", "daniel": "dani",
    "daniela": "dani", "dieter": "dietrich", "dorothea": "dora", "eduard": "edi", "elisabeth": "lisa", "elise": "lisa", "else": "lisa",
    "elsbeth": "lisa", "liesel": "lisa", "lisbeth": "lisa", "sissi": "lisa", "ilse": "lisa", "eleonore": "lore", "lenore": "lore",
    "hannelore": "lore", "emil": "emmi", "franz": "franzi", "franziska": "franzi", "friedrich": "fritz", "fred": "fritz", "friedel": "fritz",
    "gabriele": "gabi", "georg": "jorg", "joerg": "jorg", "jurgen": "jorg", "juergen": "jorg", "gerhard": "gerd", "gert": "gerd", "gertrud": "trude",
    "gunter": "gunther", "guenter": "gunther", "guenther": "gunther", "heinrich": "heinz", "heiner": "heinz", "henrik": "heinz", "helene": "lena",
    "magdalena": "lena", "leni": "lena", "ignaz": "naz", "jakob": "jacob", "joachim": "achim", "jochen": "achim", "johannes": "hans",
    "johann": "hans", "hannes": "hans", "hansi": "hans", "jan": "hans", "johanna": "hanna", "hannah": "hanna", "josef": "sepp", "joseph": "sepp",
    "jupp": "sepp", "josefine": "fini", "jurg": "jorg", "karl": "kalle", "carl": "kalle", "katharina": "kathi", "katarina": "kathi",
    "katrin": "kathi", "kathrin": "kathi", "kate": "kathi", "kathe": "kathi", "kaethe": "kathi", "klaus": "nikolaus", "claus": "nikolaus",
    "niko": "nikolaus", "niklas": "nikolaus", "konrad": "conny", "cornelia": "conny", "leonhard": "leo", "leopold": "leo", "ludwig": "lutz",
    "manfred": "manni", "margarete": "grete", "margarethe": "grete", "gretchen": "grete", "gretel": "grete", "margit": "grete", "maria": "mia",
    "marie": "mia", "mitzi": "mia", "martin": "martl", "martina": "martl", "matthias": "hias", "mathias": "hias", "maximilian": "max",
    "michael": "michi", "michaela": "michi", "nikola": "nicola", "peter": "pit", "philipp": "phil", "rudolf": "rudi", "rolf": "rudi",
    "ruediger": "rudiger", "rosemarie": "rosi", "rosa": "rosi", "sebastian": "basti", "siegfried": "sigi", "sigmund": "sigi", "sigrid": "sigi",
    "stefan": "steffen", "stephan": "steffen", "stefanie": "steffi", "stephanie": "steffi", "susanne": "susi", "theodor": "theo", "theresia": "resi",
    "therese": "resi", "thomas": "tom", "tobias": "tobi", "ulrich": "uli", "ulrike": "uli", "ursula": "uschi", "ulla": "uschi", "vinzenz": "zenz",
    "waltraud": "traudl", "wilhelm": "willi", "willy": "willi"}'::jsonb
WHEN 'fr' THEN '{
    "alexandre": "alex", "alexandra": "alex", "alexis": "alex", "anne": "annie", "anna": "annie", "antoine": "tony", "anthony": "tony",
    "antoinette": "toinette", "benjamin": "ben", "benoit": "ben", "bertrand": "bert", "catherine": "cathy", "cath": "cathy", "kathy": "cathy",
    "charles": "charlie", "christophe": "chris", "christian": "chris", "christine": "chris", "christelle": "chris", "claude": "claudie",
    "claudine": "claudie", "daniel": "dany", "daniele": "dany", "danielle": "dany", "dominique": "dom", "domi": "dom", "edouard": "ed",
    "elisabeth": "babette", "lise": "babette", "lisette": "babette", "emmanuel": "manu", "emmanuelle": "manu", "emilie": "mimi", "etienne": "tienne",
    "stephane": "steph", "stephanie": "steph", "fabien": "fab", "fabienne": "fab", "fabrice": "fab", "florence": "flo", "florian": "flo",
    "francois": "fanfan", "francoise": "fanfan", "frederic": "fred", "frederique": "fred", "gabriel": "gaby", "gabrielle": "gaby",
    "genevieve": "ginette", "georges": "jojo", "gerard": "gege", "henri": "riton", "isabelle": "isa", "jacques": "jacquot", "jacqueline": "jacquie",
    "jean": "jeannot", "jeanne": "jeannette", "joseph": "jo", "josephine": "jo", "louis": "loulou", "louise": "loulou", "madeleine": "mado",
    "magdalena": "mado", "marguerite": "margot", "marie": "marion", "martine": "titine", "mathieu": "mat", "matthieu": "mat", "maxime": "max",
    "maximilien": "max", "nathalie": "nath", "nicolas": "nico", "nicole": "nico", "patrice": "pat", "patrick": "pat", "patricia": "pat",
    "philippe": "phil", "pierre": "pierrot", "raphael": "raph", "raphaelle": "raph", "robert": "bob", "sandrine": "sandra", "sebastien": "seb",
    "suzanne": "suzy", "suzette": "suzy", "theodore": "theo", "therese": "tess", "thomas": "tom", "valerie": "val", "valentin": "val",
    "veronique": "vero", "victor": "vic", "victoria": "vic", "vincent": "vince", "virginie": "gigi", "xavier": "xav"}'::jsonb
WHEN 'es' THEN '{
    "alberto": "beto", "roberto": "beto", "humberto": "beto", "alejandro": "alex", "alejandra": "alex", "ale": "alex", "alfonso": "poncho",
    "alfredo": "fredo", "ana": "anita", "andres": "andy", "angel": "angelito", "antonio": "tono", "tony": "tono", "antonia": "tona", "beatriz": "bea",
    "carlos": "carlitos", "carlota": "carla", "carmen": "menchu", "carmela": "menchu", "catalina": "cata", "concepcion": "concha",
    "conchita": "concha", "consuelo": "chelo", "cristina": "cris", "cristobal": "tobal", "daniel": "dani", "daniela": "dani", "dolores": "lola",
    "loli": "lola", "domingo": "mingo", "eduardo": "edu", "elena": "nena", "enrique": "quique", "kike": "quique", "ernesto": "neto",
    "esperanza": "espe", "eugenio": "genio", "federico": "fede", "felipe": "pipe", "fernando": "nando", "fernanda": "nanda", "fer": "nando",
    "francisco": "paco", "pancho": "paco", "fran": "paco", "curro": "paco", "francisca": "paca", "gabriel": "gabi", "gabriela": "gabi",
    "gerardo": "gera", "gregorio": "goyo", "graciela": "chela", "guadalupe": "lupe", "lupita": "lupe", "guillermo": "memo", "guille": "memo",
    "gustavo": "gus", "ignacio": "nacho", "inmaculada": "inma", "isabel": "isa", "isabella": "isa", "chabela": "isa", "jacobo": "santi",
    "santiago": "santi", "javier": "javi", "jesus": "chus", "chuy": "chus", "jose": "pepe", "josefa": "pepa", "jose maria": "chema", "jorge": "coque",
    "juan": "juanito", "juana": "juanita", "julia": "julita", "leonardo": "leo", "lorenzo": "lencho", "lourdes": "lulu", "luis": "lucho",
    "luisa": "lucha", "magdalena": "magda", "manuel": "manolo", "manolito": "manolo", "manuela": "manola", "margarita": "marga", "maria": "mari",
    "maite": "mari tere", "maribel": "mari isa", "marisa": "mari lucha", "mercedes": "merche", "miguel": "miki", "montserrat": "montse",
    "nicolas": "nico", "octavio": "tavo", "pablo": "pablito", "patricia": "pati", "patricio": "pato", "pedro": "perico", "pilar": "pili",
    "rafael": "rafa", "ramon": "moncho", "ricardo": "richi", "rodrigo": "rodri", "rosario": "charo", "salvador": "chava", "sebastian": "sebas",
    "sergio": "checo", "sofia": "sofi", "susana": "susi", "teresa": "tere", "teodoro": "teo", "tomas": "tomi", "valentina": "vale", "valeria": "vale",
    "vicente": "chente", "victoria": "vicky", "victor": "vic", "veronica": "vero", "xavier": "javi", "yolanda": "yoli"}'::jsonb
END
$$;

-- A list of pairs, as a query returns them: a name, and what it may be called. A name has several nicknames, and a nickname
-- is one of several names. In the list that is returned, each nickname stands for itself and for all of its names, so that
-- two words mean one name if their words have one in common: word_set(replace_words(strip_marks(a), list)) && ... of b.
-- Names of several words become one word.
--   CREATE TABLE name_pairs (name text, nickname text);
--   \copy name_pairs FROM nicknames.csv (FORMAT csv)
--   CREATE TABLE given_names AS SELECT nickname_list('SELECT name, nickname FROM name_pairs') AS list;
-- Where a line has a name and all of its nicknames: SELECT a[1], unnest(a[2:]) FROM lines, string_to_array(line, ',') AS a.
CREATE FUNCTION nickname_list(pairs text) RETURNS jsonb STABLE LANGUAGE plpgsql AS $$
DECLARE
    list jsonb;
BEGIN
    EXECUTE format('WITH pair (name, nickname) AS (SELECT normalize_text(strip_marks(p.name)), normalize_text(strip_marks(p.nickname)) FROM (%s) AS p (name, nickname)),
                    meaning (word, name) AS (SELECT nickname, name FROM pair UNION SELECT nickname, nickname FROM pair UNION SELECT name, name FROM pair WHERE name LIKE ''%% %%'')
                    SELECT coalesce(jsonb_object_agg(word, names), ''{}'')
                    FROM (SELECT word, string_agg(replace(name, '' '', ''''), '' '' ORDER BY name) AS names FROM meaning WHERE word <> '''' AND name <> '''' GROUP BY word) AS w',
                   rtrim(pairs, E'; \n') || E'\n') INTO list;
    RETURN list;
END $$;
