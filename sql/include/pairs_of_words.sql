-- 120 pairs of names and words, and whether who knows the language calls them the same: half of them
-- are. They were judged before any function saw them. Letters that look alike and orders of marks
-- cannot be seen: a Cyrillic letter is in the first two English words.
CREATE TABLE pairs_of_words (language text, code text, a text, b text, same boolean);
INSERT INTO pairs_of_words VALUES
    ('English', NULL, 'pаypal', 'paypal', true), ('English', NULL, 'Сlara', 'Clara', true), ('English', NULL, 'naïve', 'naive', true), ('English', NULL, 'Jon', 'Jan', false), ('English', NULL, 'Clark', 'Clerk', false), ('English', NULL, 'Lee', 'Leo', false),
    ('German', 'de', 'Müller', 'Mueller', true), ('German', 'de', 'Straße', 'STRASSE', true), ('German', 'de', 'Größe', 'Groesse', true), ('German', 'de', 'schon', 'schön', false), ('German', 'de', 'Masse', 'Maße', false), ('German', 'de', 'Bauer', 'Baur', false), ('German', 'de', 'Stein', 'Stern', false),
    ('French', NULL, 'Éléonore', 'Eleonore', true), ('French', NULL, 'cœur', 'coeur', true), ('French', NULL, 'pêche', 'péché', false), ('French', NULL, 'sur', 'sûr', false),
    ('Spanish', NULL, 'José', 'Jose', true), ('Spanish', NULL, 'Núñez', 'NUNEZ', true), ('Spanish', NULL, 'año', 'ano', false), ('Spanish', NULL, 'papa', 'papá', false), ('Spanish', NULL, 'Marta', 'Maria', false),
    ('Polish', NULL, 'Łódź', 'Lodz', true), ('Polish', NULL, 'Wałęsa', 'Walesa', true), ('Polish', NULL, 'laska', 'łaska', false), ('Polish', NULL, 'kat', 'kąt', false),
    ('Turkish', NULL, 'ISPARTA', 'ısparta', true), ('Turkish', NULL, 'Işık', 'ISIK', true), ('Turkish', NULL, 'ilik', 'ılık', false), ('Turkish', NULL, 'on', 'ön', false),
    ('Azeri', NULL, 'Əliyev', 'Eliyev', true), ('Azeri', NULL, 'İlham', 'ILHAM', true), ('Azeri', NULL, 'ad', 'at', false), ('Azeri', NULL, 'ət', 'et', false),
    ('Danish', 'da', 'Århus', 'Aarhus', true), ('Danish', 'da', 'Søren', 'Soeren', true), ('Danish', 'da', 'mål', 'mal', false), ('Danish', 'da', 'hør', 'hor', false),
    ('Swedish', 'sv', 'Åkesson', 'Aakesson', true), ('Swedish', 'sv', 'Malmö', 'Malmoe', true), ('Swedish', 'sv', 'får', 'far', false), ('Swedish', 'sv', 'Lund', 'Lind', false),
    ('Dutch', 'nl', 'Van Dĳk', 'van Dijk', true), ('Dutch', 'nl', 'Dijk', 'Dyk', true), ('Dutch', 'nl', 'één', 'een', false), ('Dutch', 'nl', 'Jan', 'Jaan', false),
    ('Vietnamese', NULL, 'Đặng', 'Dang', true), ('Vietnamese', NULL, 'Nguyễn', 'NGUYEN', true), ('Vietnamese', NULL, 'ma', 'má', false), ('Vietnamese', NULL, 'Trần', 'Trân', false),
    ('Greek', NULL, 'Αθήνα', 'ΑΘΗΝΑ', true), ('Greek', NULL, 'Κώστας', 'Kostas', true), ('Greek', NULL, 'νόμος', 'νομός', false), ('Greek', NULL, 'Άννα', 'Άννη', false),
    ('Russian', NULL, 'Ёлкин', 'Елкин', true), ('Russian', NULL, 'Москва', 'Moskva', true), ('Russian', NULL, 'все', 'всё', false), ('Russian', NULL, 'мука', 'рука', false), ('Russian', NULL, 'Иванов', 'Иванова', false),
    ('Ukrainian', NULL, 'Київ', 'Kyiv', true), ('Ukrainian', NULL, 'ґрати', 'грати', false), ('Ukrainian', NULL, 'Ганна', 'Анна', false),
    ('Armenian', NULL, 'Երևան', 'ԵՐԵՎԱՆ', true), ('Armenian', NULL, 'Արամ', 'ԱՐԱՄ', true), ('Armenian', NULL, 'Արամ', 'Արմեն', false), ('Armenian', NULL, 'սեր', 'տեր', false),
    ('Hebrew', NULL, 'שָׁלוֹם', 'שלום', true), ('Hebrew', NULL, 'צה"ל', 'צה״ל', true), ('Hebrew', NULL, 'צה״ל', 'צהל', true), ('Hebrew', NULL, 'ג''ון', 'ג׳ון', true), ('Hebrew', NULL, 'דוד', 'דור', false), ('Hebrew', NULL, 'חבר', 'חבל', false),
    ('Arabic', NULL, 'مُحَمَّد', 'محمد', true), ('Arabic', NULL, 'أحمد', 'احمد', true), ('Arabic', NULL, 'مدرسة', 'مدرسه', true), ('Arabic', NULL, 'علي', 'على', true), ('Arabic', NULL, '٢٠٢٤', '2024', true), ('Arabic', NULL, 'علم', 'عمل', false), ('Arabic', NULL, 'حسن', 'حسين', false), ('Arabic', NULL, 'كلب', 'قلب', false),
    ('Persian', NULL, 'علی', 'علي', true), ('Persian', NULL, 'کتاب', 'كتاب', true), ('Persian', NULL, '۱۴۰۲', '1402', true), ('Persian', NULL, 'شیر', 'سیر', false), ('Persian', NULL, 'تهران', 'مهران', false),
    ('Hindi', NULL, '२०२४', '2024', true), ('Hindi', NULL, 'हिन्दी', 'हिंदी', true), ('Hindi', NULL, 'कल', 'काल', false), ('Hindi', NULL, 'दिन', 'दीन', false),
    ('Bengali', NULL, '১২৩', '123', true), ('Bengali', NULL, 'মন', 'মান', false), ('Bengali', NULL, 'দিন', 'দীন', false),
    ('Thai', NULL, 'น้ำ', 'นำ้', true), ('Thai', NULL, 'น้ำ', 'นํ้า', true), ('Thai', NULL, '๒๕๖๗', '2567', true), ('Thai', NULL, 'ขาว', 'ข้าว', false), ('Thai', NULL, 'ใกล้', 'ไกล', false), ('Thai', NULL, 'มา', 'ม้า', false),
    ('Lao', NULL, 'ນ້ຳ', 'ນໍ້າ', true), ('Lao', NULL, '໑໒', '12', true), ('Lao', NULL, 'ມາ', 'ໝາ', false), ('Lao', NULL, 'ເສືອ', 'ເສື້ອ', false),
    ('Japanese', NULL, 'カタカナ', 'かたかな', true), ('Japanese', NULL, 'ｶﾞｲﾄﾞ', 'ガイド', true), ('Japanese', NULL, 'コンピューター', 'コンピュータ', true), ('Japanese', NULL, 'トーキョー', 'とうきょう', true), ('Japanese', NULL, 'オーサカ', 'おおさか', true), ('Japanese', NULL, 'ビル', 'ビール', false), ('Japanese', NULL, 'おばさん', 'おばあさん', false), ('Japanese', NULL, 'ゆき', 'ゆうき', false), ('Japanese', NULL, 'かき', 'がき', false), ('Japanese', NULL, 'はた', 'はだ', false),
    ('Chinese', NULL, '２０２４年', '2024年', true), ('Chinese', NULL, '國家', '国家', true), ('Chinese', NULL, '王小明', '王小朋', false), ('Chinese', NULL, '大', '太', false),
    ('Korean', NULL, '한국', '한국', true), ('Korean', NULL, 'ＳＫ텔레콤', 'SK텔레콤', true), ('Korean', NULL, '김', '긴', false), ('Korean', NULL, '박수', '박소', false);
