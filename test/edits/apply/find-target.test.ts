import { test } from 'tap'
import { Targets, type Target } from '../../../src/edits/apply/find-target.ts'

function find(paths: string[], name: string, gone: string[] = []): Target {
  return new Targets({ has: path => paths.includes(path) && !gone.includes(path), paths: () => paths }).find(name)
}

test('a name means the file of that name, else the only one that is like it', async t => {
  t.same(find(['a/x.py', 'A/x.py'], 'A/x.py'), { path: 'A/x.py' })
  t.same(find(['a/x.py', 'b.py'], 'A/X.py'), { path: 'a/x.py' }, 'another case')
  t.same(find(['src/a/x.py', 'b.py'], 'a/x.py'), { path: 'src/a/x.py' }, 'the end of its path')
  t.same(find(['a/x.py', 'b.py'], 'project/a/x.py'), { path: 'a/x.py' }, 'folders too many')
  t.same(find(['a/x.py', 'x.py'], 'p/a/x.py'), { path: 'a/x.py' }, 'the longest of those that the name ends in')
  t.same(find(['x.py'], 'max.py'), { candidates: [] }, 'a part of a name is no name')
})

test('where several files are like a name, or only the base name is, they are candidates', async t => {
  t.same(find(['a/x.py', 'A/x.py'], 'a/X.py'), { candidates: ['a/x.py', 'A/x.py'] })
  t.same(find(['a/m/x.py', 'b/m/x.py'], 'm/x.py'), { candidates: ['a/m/x.py', 'b/m/x.py'] })
  t.same(find(['a/m/x.py', 'x.py'], 'm/x.py'), { candidates: ['a/m/x.py', 'x.py'] })
  t.same(find(['a/X.py', 'b/x.py', 'y.py'], 'c/x.py'), { candidates: ['a/X.py', 'b/x.py'] })
  t.same(find(['a.py'], 'b.py'), { candidates: [] })
  const many = Array.from({ length: 12 }, (_, i) => `d${i}/x.py`)
  t.same(find(many, 'x.py'), { candidates: many.slice(0, 10) }, 'ten at most')
})

test('a file that edits have removed is none', async t => {
  t.same(find(['a/x.py', 'b/x.py'], 'x.py', ['a/x.py']), { path: 'b/x.py' })
  t.same(find(['x.py'], 'x.py', ['x.py']), { candidates: [] })
})

test('the paths are asked for once, and only when a name is not exact', async t => {
  let asked = 0
  const targets = new Targets({
    has: path => path === 'x.py',
    paths: () => {
      asked++
      return ['x.py']
    },
  })
  targets.find('x.py')
  t.equal(asked, 0)
  targets.find('X.py')
  targets.find('y.py')
  t.equal(asked, 1)
})
