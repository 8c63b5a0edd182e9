import { test } from 'tap'
import { findGuards } from '../../src/guards/find-guards.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { kindOfPath } from '../../src/resolver/code/path-kinds.ts'

const KINDS = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }

/** The lines of checks in a function of Rust whose second line, which unwraps, is replaced. */
function checksIn(...lines: string[]): number[] {
  const around = (body: string[]) =>
    ['fn name(user: Option<User>) -> String {', ...body, '    load(user)', '}', ''].join('\n')
  const file = {
    path: 'src/a.rs',
    before: around(['    let u = user.unwrap();', '    u.name()']),
    after: around(lines),
  }
  const failing = { path: 'src/a.rs', line: 2, error: 'called `Option::unwrap()` on a `None` value' }
  return findGuards([file], failing, KINDS)
    .filter(({ kind }) => kind === 'null_check')
    .map(({ line }) => line)
}

test('a pattern of Rust in place of unwrap counts where what does not fit is passed over', async t => {
  t.same(checksIn('    if let Some(u) = user {', '        u.name();', '    }'), [2])
  t.same(checksIn('    let Some(u) = user else { return String::new() };', '    u.name()'), [2])
  t.same(checksIn('    if let Some(u) = user {', '        u.name();', '    } else {', '        fail();', '    }'), [])
  t.same(checksIn('    let Some(u) = user else { panic!("no user") };', '    u.name()'), [])
  t.same(checksIn('    let Other(u) = user else { return String::new() };', '    u.name()'), [])
})

test('a pattern without a block is left alone', async t => {
  t.same(checksIn('    let Some(u) = user;', '    u.name()'), [])
  t.same(checksIn('    if let Some(u) = user;', '    u.name()'), [])
})
