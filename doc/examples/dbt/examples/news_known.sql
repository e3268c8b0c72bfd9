{{ config(materialized='table') }}
SELECT n.*, p.b AS known_as
FROM {{ ref('news') }} AS n
LEFT JOIN (
{{ neardup.similarity_join(ref('news'), key='code', tokens='word_tokens(title)', threshold=0.6,
                           against=ref('odd_notices'), against_key='Notice No.', against_tokens="word_tokens(\"Writer's text\")",
                           key_type='text') }}
) AS p ON p.a = n.code
