import { test } from 'tap'
import { findGuards } from '../../src/guards/find-guards.ts'
import type { ChangedFile, FailingPlace } from '../../src/guards/guard.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { kindOfPath } from '../../src/resolver/code/path-kinds.ts'
import { guardCases } from '../helpers/guard-cases.ts'

const KINDS = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }
const guardsOf = (files: ChangedFile[], failing: FailingPlace | null = null) => findGuards(files, failing, KINDS)
const kindsOf = (files: ChangedFile[], failing: FailingPlace | null) => [
  ...new Set(guardsOf(files, failing).map(({ kind }) => kind)),
]

test('fixes of the symptom are found, each as what it is', async t => {
  for (const { name, file, failing, kinds } of guardCases('symptoms')) t.same(kindsOf([file], failing), kinds, name)
})

test('honest fixes are left alone', async t => {
  for (const { name, file, failing } of guardCases('honest')) t.same(guardsOf([file], failing), [], name)
})
