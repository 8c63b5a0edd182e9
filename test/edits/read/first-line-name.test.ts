import { test } from 'tap'
import { nameInFirstLine } from '../../../src/edits/read/first-line-name.ts'

test('a comment that is nothing but a path names its block', async t => {
  const named: Array<[lines: string[], language: string, path: string]> = [
    [['# src/a.py', 'x'], 'python', 'src/a.py'],
    [['# a.py'], '', 'a.py'],
    [['// src/a.ts'], 'typescript', 'src/a.ts'],
    [['/* styles/main.css */'], 'css', 'styles/main.css'],
    [['/** lib/a.js */'], 'js', 'lib/a.js'],
    [['<!-- index.html -->'], 'html', 'index.html'],
    [['<!DOCTYPE html>', '<!-- index.html -->'], 'html', 'index.html'],
    [['-- db/schema.sql'], 'sql', 'db/schema.sql'],
    [['#!/usr/bin/env python3', '# tool.py'], 'python', 'tool.py'],
    [['<?php', '// src/Cart.php'], 'php', 'src/Cart.php'],
    [['# File: src/a.py'], 'python', 'src/a.py'],
    [['// filename: `src/a.js`'], 'javascript', 'src/a.js'],
    [['{/* App.jsx */}'], 'jsx', 'App.jsx'],
    [['; config/app.ini'], 'ini', 'config/app.ini'],
    [['# run.sh'], 'bash', 'run.sh'],
    [['"""src/a.py"""'], 'python', 'src/a.py'],
  ]
  for (const [lines, language, path] of named) {
    t.same(nameInFirstLine(lines, 0, language)?.path, path, JSON.stringify(lines))
  }
  const others: Array<[lines: string[], language: string]> = [
    [['src/a.py'], 'python'],
    [['# uses src/a.py'], 'python'],
    [['# src/a.py and src/b.py'], 'python'],
    [['# src/a.ts'], 'python'],
    [['# main.py'], 'bash'],
    [['# Makefile'], ''],
    [['# Node.js'], 'js'],
    [['// https://a.b/c.js'], 'js'],
    [['x', '# a.py'], 'python'],
    [['# src/a.py:12'], 'python'],
    [[], 'python'],
  ]
  for (const [lines, language] of others) t.equal(nameInFirstLine(lines, 0, language), null, JSON.stringify(lines))
})
