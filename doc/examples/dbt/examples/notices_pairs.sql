{{ config(materialized='table') }}
{{ neardup.similarity_join(ref('notices'), key='id', tokens="word_qgram_set(coalesce(body, ''), 3)", threshold=0.5, measure='cosine') }}
