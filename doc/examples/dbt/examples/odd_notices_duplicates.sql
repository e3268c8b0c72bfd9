{{ config(materialized='table') }}
{{ neardup.near_duplicates(ref('odd_notices'), key='Notice No.', text="Writer's text", threshold=0.5, keep='"Notice No." DESC',
                           tokens="word_set(\"Writer's text\" || ' ')", within="number_words(\"Writer's text\")", key_type='text') }}
