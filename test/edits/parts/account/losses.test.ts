import { test } from 'tap'
import { applyPart, block } from '../../../helpers/part-cases.ts'
import { FILES, HONEST, LOSSY, type Rewrite } from '../../../helpers/rewrites.ts'

/** What a rewrite of a whole file comes to. */
function rewritten([path, name, from, to, request]: Rewrite): {
  name: string
  told: string
  after: string
  body: string
} {
  const before = FILES[path] ?? ''
  const body = typeof from === 'string' ? before.replace(from, () => to) : before.replace(from, to)
  const { files, rejected } = applyPart({ [path]: before }, block(path, body), request)
  return { name: `${path}: ${name}`, told: rejected.join('\n'), after: files[path] ?? '', body }
}

test('a block that loses anything of its file does not replace it without a word', async t => {
  for (const rewrite of LOSSY) {
    const { name, told, after, body } = rewritten(rewrite)
    t.not(body, FILES[rewrite[0]], `${name}: the case is one`)
    t.not(told, '', name)
    t.equal(after, FILES[rewrite[0]], `${name}: nothing changes`)
  }
})

test('honest rewrites of a whole file pass at once', async t => {
  for (const rewrite of HONEST) {
    const { name, told, after, body } = rewritten(rewrite)
    t.not(body, FILES[rewrite[0]], `${name}: the case is one`)
    t.equal(told, '', name)
    t.equal(after, body, name)
  }
})

test('what the reply says to have removed may go, unless it leaves something out', async t => {
  const before = FILES['app.js'] ?? ''
  const body = before.replace('app.listen(3000)\n', '')
  const send = (text: string, remark: string) =>
    applyPart({ 'app.js': before }, `${block('app.js', text)}\n${remark}\n`)
  const told = send(body, '').rejected.join('\n')
  const line = /^REMOVED .*$/m.exec(told)?.[0] ?? ''
  t.equal(line, 'REMOVED app.js: app.listen(3000)')
  t.equal(send(body, line).files['app.js'], body)
  t.equal(send(body, `${line} (1 line)`).files['app.js'], before, 'another line')
  t.equal(send(body, 'REMOVED app.js: app.use').files['app.js'], before)
  t.equal(send(body, 'REMOVED other.js: app.listen(3000)').files['app.js'], before, 'of another file')
  t.equal(send(`${body}// same code as before\n`, line).files['app.js'], before, 'and something is left out')
  t.equal(send(body.replace(/export function total[^]*?\n\}\n/, ''), line).files['app.js'], before, 'and more is gone')
})

test('a call that is lost next to a change is missed, however a language spells it', async t => {
  const kotlin =
    'class Service(private val repo: Repo) {\n  fun start(port: Int) {\n    repo?.connect()\n' +
    '    scope.launch { sync() }\n    register<Metrics>()\n    listen(port)\n  }\n}\n'
  const go =
    'package shop\n\nfunc handle(w Writer, r *Request) {\n\tdefer r.Body.Close()\n\tif r.Method != "POST" {\n' +
    '\t\tfail(w, 405)\n\t\treturn\n\t}\n\tw.WriteHeader(204)\n}\n'
  const cases: Array<[path: string, before: string, from: RegExp, to: string, lost: RegExp]> = [
    ['Service.kt', kotlin, / {4}scope.*\n {4}register.*\n/, '    register<Metrics>(repo)\n', /scope\.launch/],
    ['Service.kt', kotlin, / {4}register.*\n {4}listen.*\n/, '    listen(port, host)\n', /register<Metrics>/],
    ['Service.kt', kotlin, / {4}repo.*\n {4}scope.*\n/, '    scope.launch { sync(repo) }\n', /repo\?\.connect/],
    ['handler.go', go, /\tdefer.*\n(.*)"POST"/, '$1http.MethodPost', /defer r\.Body/],
  ]
  for (const [path, before, from, to, lost] of cases) {
    const { files, rejected } = applyPart({ [path]: before }, block(path, before.replace(from, to)))
    t.match(rejected.join('\n'), lost, to)
    t.equal(files[path], before, `${to}: nothing changes`)
  }
})

test('two values that nothing uses may go from a function unless they are half of it', async t => {
  const unused = '    old = 1\n    rate = 2\n'
  const rest = '    price = sum(cart)\n    price = price + tax(cart)\n'
  const send = (body: string) => {
    const before = `def total(cart):\n${unused}${body}`
    return applyPart({ 'shop.py': before }, block('shop.py', before.replace(unused, '')))
  }
  t.same(send(`${rest}    return price\n`).rejected, [], 'two lines of five')
  t.match(send(rest).rejected.join('\n'), /old = 1/, 'two lines of four')
})
