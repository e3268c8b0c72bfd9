{{ config(materialized='table') }}
{{ neardup.near_duplicates(ref('notices'), key='id', text='body', threshold=0.7,
                           keep='rating DESC') }}
