import { test } from 'tap'
import { languageOf, languageOfShebang } from '../../src/indexer/languages.ts'

test('an ending tells the language, whatever its case', async t => {
  const cases: Array<[path: string, language: string]> = [
    ['src/app.py', 'python'],
    ['a/B.TSX', 'typescript'],
    ['x.mjs', 'javascript'],
    ['Main.java', 'java'],
    ['m.go', 'go'],
    ['lib.rs', 'rust'],
    ['x.rb', 'ruby'],
    ['a.kt', 'kotlin'],
    ['a.cs', 'csharp'],
    ['a.cpp', 'cpp'],
    ['a.h', 'c'],
    ['a.php', 'php'],
    ['view.blade.php', 'blade'],
    ['a.swift', 'swift'],
    ['a.scala', 'scala'],
    ['a.ex', 'elixir'],
    ['q.sql', 'sql'],
    ['i.html', 'html'],
    ['s.scss', 'scss'],
    ['c.vue', 'vue'],
    ['d.md', 'markdown'],
    ['c.yml', 'yaml'],
    ['c.toml', 'toml'],
    ['t.tf', 'hcl'],
    ['p.proto', 'protobuf'],
    ['.github/workflows/ci.yaml', 'yaml'],
    ['.env.example', 'dotenv'],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('well-known names tell it without an ending', async t => {
  const cases: Array<[path: string, language: string]> = [
    ['Dockerfile', 'dockerfile'],
    ['docker/Dockerfile.prod', 'dockerfile'],
    ['Makefile', 'makefile'],
    ['CMakeLists.txt', 'cmake'],
    ['Gemfile', 'ruby'],
    ['Rakefile', 'ruby'],
    ['Jenkinsfile', 'groovy'],
    ['go.mod', 'go-module'],
    ['requirements-dev.txt', 'requirements'],
    ['.eslintrc', 'json'],
    ['.gitignore', 'ini'],
    ['BUILD', 'bazel'],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('sources under rarer endings are told, too', async t => {
  const cases: Array<[path: string, language: string]> = [
    ['lib/frr.inc', 'include'],
    ['mail.ftl', 'freemarker'],
    ['Sql.g4', 'antlr'],
    ['page.njk', 'nunjucks'],
    ['frr-bgp.yang', 'yang'],
    ['bgpd/Makefile.am', 'makefile'],
    ['subdir.am', 'makefile'],
    ['lexer.l', 'lex'],
    ['parser.y', 'yacc'],
    ['ax_check.m4', 'm4'],
    ['demo.ipynb', 'jupyter'],
    ['login.feature', 'gherkin'],
    ['board.dtsi', 'devicetree'],
    ['core.cppm', 'cpp'],
    ['init.pp', 'puppet'],
    ['_helpers.tpl', 'template'],
    ['Web.aspx', 'asp-net'],
    ['node.module', 'php'],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('a file from which another is made has the language of that one', async t => {
  const cases: Array<[path: string, language: string | null]> = [
    ['config.h.in', 'c'],
    ['settings.py.template', 'python'],
    ['deployment.yaml.tpl', 'yaml'],
    ['phpunit.xml.dist', 'xml'],
    ['Makefile.in', 'makefile'],
    ['Dockerfile.template', 'dockerfile'],
    ['requirements.in', 'requirements'],
    ['.env.example', 'dotenv'],
    ['MANIFEST.in', null],
    ['notes.txt.in', null],
    ['.in', null],
  ]
  for (const [path, language] of cases) t.equal(languageOf(path), language, path)
})

test('plain text, data and unknown endings have no language', async t => {
  for (const path of [
    'notes.txt',
    'data.csv',
    'de.po',
    'logo.svg',
    'LICENSE',
    'x.unknown',
    'folder.py/file',
    'constructor',
    '__proto__',
  ]) {
    t.equal(languageOf(path), null, path)
  }
})

test('a first line names the language of a script', async t => {
  t.equal(languageOfShebang('#!/usr/bin/env python3\nprint()'), 'python')
  t.equal(languageOfShebang('#!/usr/bin/env -S node --no-warnings\n'), 'javascript')
  t.equal(languageOfShebang('#! /bin/bash -e\n'), 'shell')
  t.equal(languageOfShebang('#!/usr/bin/env LC_ALL=C ruby\n'), 'ruby')
  t.equal(languageOfShebang('#!/opt/strange\n'), null)
  t.equal(languageOfShebang('# not a script'), null)
  t.equal(languageOfShebang('#!'), null)
})
