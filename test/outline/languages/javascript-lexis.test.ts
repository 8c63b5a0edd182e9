import { test } from 'tap'
import { spans } from '../spans.ts'

test('braces in templates, regular expressions, comments and JSX text do not count', async t => {
  t.same(
    spans(
      'javascript',
      `const a = () => \`{ \${b.map(c => \`}\${c}\`)} {\`
function d () {
  return /[/}]'/.test(x) ? a / b / "}" : /}/
} /* { */ // {
function E () {
  return <F x={() => { return '}' }} y="}">don't {z ? <G /> : <>it's</>} }</F>
}
function h () {
}
`,
    ),
    ['function a 1-1', 'function d 2-4', 'function E 5-7', 'function h 8-9'],
  )
})
