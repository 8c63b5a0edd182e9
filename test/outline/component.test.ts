import { test } from 'tap'
import { importsOf, spans } from './spans.ts'

const VUE = `<script setup lang="ts">
import Cart from './Cart.vue'

function total (lines: number[]) {
  return lines.length
}
</script>

<template>
  <p>{{ function fake () {} }}</p>
</template>

<script>
export default {
  methods: {
    clear () {
      this.lines = []
    },
  },
}
</script>
`

test('the scripts of a component are outlined where they stand, and nothing around them', async t => {
  t.same(spans('vue', VUE), ['function total 4-6', 'function clear 16-18'])
  t.same(importsOf('vue', VUE), ['2 ./Cart.vue {Cart}'])
  t.same(spans('svelte', '<h1>function no () {}</h1>\n<script\n  context="module">\nfunction yes () {\n}\n'), [
    'function yes 4-5',
  ])
  t.same(spans('vue', '<scripted>function no () {}</scripted>\n<script src="./a.js"></script>\n'), [])
})

test('of an Astro page the part between the fences is a script', async t => {
  const page = `---
import Base from '../Base.astro'
function title () {
}
---
<p>function no () {}</p>
<script>
function yes () {
}
</script>
`
  t.same(spans('astro', page), ['function title 3-4', 'function yes 8-9'])
  t.same(spans('astro', '<p>function no () {}</p>\n'), [])
})
