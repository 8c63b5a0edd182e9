import { test } from 'tap'
import { isProse, languageOf, languageOfShebang } from '../../src/indexer/languages.ts'

test('an ending tells the language, whatever its case', async (t) => {
  const cases: Array<[path: string, language: string]> = [
    ['src/app.py', 'python'], ['a/B.TSX', 'typescript'], ['x.mjs', 'javascript'], ['Main.java', 'java'], ['m.go', 'go'], ['lib.rs', 'rust'], ['x.rb', 'ruby'],
    ['a.kt', 'kotlin'], ['a.cs', 'csharp'], ['a.cpp', 'cpp'], ['a.h', 'c'], ['a.php', 'php'], ['view.blade.php', 'blade'], ['a.swift', 'swift'], ['a.scala', 'scala'], ['a.ex', 'elixir'],
    ['q.sql', 'sql'], ['i.html', 'html'], ['s.scss', 'scss'], ['c.vue', 'vue'], ['d.md', 'markdown'], ['c.yml', 'yaml'], ['c.toml', 'toml'], ['t.tf', 'hcl'], ['p.proto', 'protobuf'],
    ['.github/workflows/ci.yaml', 'yaml'], ['.env.example', 'dotenv'],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('well-known names tell it without an ending', async (t) => {
  const cases: Array<[path: string, language: string]> = [
    ['Dockerfile', 'dockerfile'], ['docker/Dockerfile.prod', 'dockerfile'], ['Makefile', 'makefile'], ['CMakeLists.txt', 'cmake'], ['Gemfile', 'ruby'], ['Rakefile', 'ruby'],
    ['Jenkinsfile', 'groovy'], ['go.mod', 'go-module'], ['requirements-dev.txt', 'requirements'], ['.eslintrc', 'json'], ['.gitignore', 'ini'], ['BUILD', 'bazel'],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('plain text, data and unknown endings have no language', async (t) => {
  for (const path of ['notes.txt', 'data.csv', 'de.po', 'logo.svg', 'LICENSE', 'x.unknown', 'folder.py/file', 'constructor', '__proto__']) t.equal(languageOf(path), null, path)
})

test('a first line names the language of a script', async (t) => {
  t.equal(languageOfShebang('#!/usr/bin/env python3\nprint()'), 'python')
  t.equal(languageOfShebang('#!/usr/bin/env -S node --no-warnings\n'), 'javascript')
  t.equal(languageOfShebang('#! /bin/bash -e\n'), 'shell')
  t.equal(languageOfShebang('#!/usr/bin/env LC_ALL=C ruby\n'), 'ruby')
  t.equal(languageOfShebang('#!/opt/strange\n'), null)
  t.equal(languageOfShebang('# not a script'), null)
  t.equal(languageOfShebang('#!'), null)
})

test('running text is told from code', async (t) => {
  t.ok(isProse('markdown'))
  t.notOk(isProse('python'))
})
