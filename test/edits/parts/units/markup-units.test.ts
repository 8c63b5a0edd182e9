import { test } from 'tap'
import { checkParts, WHOLE } from '../../../helpers/part-cases.ts'

test('the rules of a stylesheet in a page or a component are units', async t => {
  const style = '.card {\n  color: red;\n}\n\n.card:hover {\n  cursor: pointer;\n}\n'
  const hover = '.card:hover {\n  cursor: pointer;\n}\n'
  const page = (rules: string): string =>
    `<template>\n  <p class="card">Hi</p>\n</template>\n\n<style scoped>\n${rules}</style>\n`
  for (const path of ['Card.vue', 'Card.svelte', 'card.html']) {
    checkParts(t, { path, before: page(style) }, [
      [
        'one rule for another',
        page(style.replace(hover, '.title {\n  font-weight: bold;\n  margin: 0;\n}\n')),
        /lacks <style>\.\.card:hover/,
      ],
      ['another value', page(style.replace('red', 'blue')), WHOLE],
      ['a rule more', page(`${style}\n.title {\n  margin: 0;\n}\n`), WHOLE],
      ['a rule that is asked to go', page(style.replace(hover, '')), WHOLE, 'Remove the `.card:hover` rule.'],
    ])
  }
})
