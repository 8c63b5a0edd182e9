import { test } from 'tap'
import { checkSpans, importsOf, scopesOf, spans } from '../spans.ts'

test('Ruby: blocks end with their end; modifiers and loops with do have none of their own', async t => {
  t.same(
    spans(
      'ruby',
      `module A::B
  class C < D
    def self.f(x) = x + 1
    def g?
      return if x
      while y do z end
      a = if b then 1 else 2 end
      [1].each do |i| puts i unless i end
      <<~SQL + "#{d["end"]}"
        def no
      SQL
    end
    private def h=(v)
      @end = v.class
      %w[def end] if v =~ /end/
      { if: 1, end: 2 }
    end
    class << self
      def i; end
    end
    def <=>(o)
      case o when 1 then begin; 2; end end
    end
  end
end
=begin
def no
=end
__END__
def no
`,
    ),
    [
      'module B 1-25',
      'class B/C 2-24',
      'function C/f 3-3',
      'function C/g? 4-12',
      'function C/h= 13-17',
      'function C/i 19-19',
      'function C/<=> 21-23',
    ],
  )
  t.same(importsOf('ruby', "require 'a/b'\nrequire_relative('c')\n"), ['1 a/b', '2 ./c'])
  t.equal(scopesOf('ruby', '# a\n# b\ndef f\nend\n')[0]?.leadLine, 1)
})

test('Ruby: a slash with a blank behind it and no other on its line divides', async t => {
  t.same(spans('ruby', 'def f\n  puts / 2\n  y [/ 3\n]\nend\ndef g\n  1\nend\n'), ['function f 1-5', 'function g 6-8'])
})

test('Ruby: the name of an operator ends before a semicolon', async t => {
  checkSpans(t, 'ruby', [
    [
      'def !; end\ndef +(a)\nend\ndef []=(a, b)\nend\ndef ==(a) = true',
      'function ! 1-1, function + 2-3, function []= 4-5, function == 6-6',
    ],
  ])
})

test('Ruby: definitions of every form', async t => {
  checkSpans(t, 'ruby', [
    ['def a = 1\ndef b(c) = c\n  .d\ndef e\nend', 'function a 1-1, function b 2-3, function e 4-5'],
    ['def a=(b)\nend\ndef b?; end\ndef c!\nend', 'function a= 1-2, function b? 3-3, function c! 4-5'],
    ['def self.a\nend\ndef b.c=(d)\nend', 'function a 1-2, function c= 3-4'],
    ['private def a\nend\nprivate\ndef b\nend', 'function a 1-2, function b 4-5'],
    ['class A < B::C\n  def d; end\nend', 'class A 1-3, function A/d 2-2'],
    ['class ::A\nend\nmodule A::B::C\nend', 'class A 1-2, module C 3-4'],
    ['class << self\n  def a\n  end\nend', 'function a 2-3'],
    ['class A; end\nmodule B; end', 'class A 1-1, module B 2-2'],
    ['A = Class.new do\n  def b\n  end\nend', 'function b 2-3'],
    ['def a b, c\n  b\nend', 'function a 1-3'],
    ['def a\n  b.each do |c|\n    d\n  end\nend\ndef e\nend', 'function a 1-5, function e 6-7'],
    [
      'def a\n  begin\n    b\n  rescue C\n    d\n  ensure\n    e\n  end\nend\ndef f\nend',
      'function a 1-9, function f 10-11',
    ],
    ['def a\n  case b\n  when 1 then c\n  in [d]\n  end\nend\ndef f\nend', 'function a 1-6, function f 7-8'],
    [
      'def a\n  x = if b\n    1\n  end\n  y = [if b then c end, unless d then e end]\nend\ndef f\nend',
      'function a 1-6, function f 7-8',
    ],
    [
      'def a\n  while b do c end\n  until d\n    e\n  end\n  for f in g do h end\n  i while j\nend\ndef k\nend',
      'function a 1-8, function k 9-10',
    ],
    [
      'def a\n  b ||= case c when 1 then 2 end\n  d(while e do f end)\nend\ndef g\nend',
      'function a 1-4, function g 5-6',
    ],
    [
      'def a\n  return unless b\n  raise if c\n  yield while d\n  puts 1 if e\nend\ndef f\nend',
      'function a 1-6, function f 7-8',
    ],
    [
      'def a\n  b.class\n  c&.end\n  d::end\n  :end\n  { end: 1, if: 2 }\n  @end\n  e.if\n  f ? end? : 1\nend\ndef g\nend',
      'function a 1-10, function g 11-12',
    ],
    ['def a\n  if b and\n    not c\n  end\nend\ndef d\nend', 'function a 1-5, function d 6-7'],
    ['def a\n  (1..end_of)\n  (1...if b then 2 end)\nend\ndef c\nend', 'function a 1-3, function c 5-6'],
    ['def a\n  loop do b end; while c do d do e end end\nend\ndef f\nend', 'function a 1-3, function f 4-5'],
    ['a = ->(b) do c end\ndef d\nend', 'function d 2-3'],
    [
      'def if\nend\ndef end?\nend\ndef class=(a)\nend\ndef b\nend',
      'function if 1-2, function end? 3-4, function class= 5-6, function b 7-8',
    ],
  ])
})

test('Ruby: literals hold no code', async t => {
  checkSpans(t, 'ruby', [
    ['a = "end #{b "#{if}"} def"\ndef c\nend', 'function c 2-3'],
    ["a = 'def #{'\ndef b\nend", 'function b 2-3'],
    ['a = "x\ndef b\n"\ndef c\nend', 'function c 4-5'],
    ['a = `def #{"}"}`\ndef b\nend', 'function b 2-3'],
    [
      'a = %w[def [end] x]\nb = %(def (end))\nc = %q{def}\nd = %i<end>\ne = %r!def!\nf = %Q|end|\ndef g\nend',
      'function g 7-8',
    ],
    ['a = 5 %b\nc = d % 2\ndef e\nend', 'function e 3-4'],
    ['a = b %[c]\nputs %w[def]\ndef d\nend', 'function d 3-4'],
    ['a = /def \\/ end/\nb = c / d / e\nputs /def/\nif /end/ then f end\ndef g\nend', 'function g 5-6'],
    ['x = a /b; y = c/ d\ndef e\nend', 'function e 2-3'],
    ['a = [/def/, /end/]\ndef b\nend', 'function b 2-3'],
    ['a = <<A + <<-B + <<~C\ndef b\nA\ndef c\n  B\ndef d\n  C\ndef e\nend', 'function e 8-9'],
    ['a = <<~"A"\n  def b\nA\na = <<-\'B\'\ndef c\nB\ndef d\nend', 'function d 7-8'],
    ['a << B\nc <<d\nclass << e\nend\ndef f\nend', 'function f 5-6'],
    ['a = <<~A.b do |c|\ndef d\nA\nend\ndef e\nend', 'function e 5-6'],
    ['a = [:def, :"end #{1}", :+, :[]=, :end?, :if!]\ndef b\nend', 'function b 2-3'],
    ['a = b ? :c : :def\nd = e::F\ng = h ?i : j\ndef k\nend', 'function k 4-5'],
    ['a = :"def\nend"\ndef b\nend', 'function b 3-4'],
    ['a = ?d + ?\\n\nb = ?"\ndef c\nend', 'function c 3-4'],
    ['=begin\ndef a\n=end def b\ndef c\nend', 'function c 4-5'],
    ['a\n =begin\ndef b\nend', 'function b 3-4'],
    ['a = [\n  1, # def\n] # end\ndef b\nend', 'function b 4-5'],
    ['def a\n__END__\nend\n', 'function a 1-1'],
    ['def a', 'function a 1-1'],
    ['class A\n  def b', 'class A 1-2, function A/b 2-2'],
    ['a = <<A\ndef b', ''],
    ['a = %w[def', ''],
    ['a = /def', ''],
    ['=begin\ndef a', ''],
  ])
  t.same(importsOf('ruby', "require 'a'\n"), ['1 a'])
})

test('Ruby: literals, here-documents and names of methods', async t => {
  checkSpans(t, 'ruby', [
    ['a = b /c}/\ndef d; end', 'function d 2-2'],
    [
      'x = ?}\ndef a; end\ny = ?\\n\ndef b; end\nz = a ?b :c\ndef c; end',
      'function a 2-2, function b 4-4, function c 6-6',
    ],
    ["a ? b : c\nd = :'e'\ndef f; end\ng = a ? :h : :i\nj = A::B\ndef k; end", 'function f 3-3, function k 6-6'],
    ['cat <<~A, <<-B\n  def c\nA\n  def d\n  B\ndef e; end\n', 'function e 6-6'],
    ['a = <<A\nA\ndef b; end', 'function b 3-3'],
    ['a = %w[ end def ]\nb = %q(def x)\nc % d\ndef e; end', 'function e 4-4'],
    ['=begin\ndef a\n=end\ndef b; end', 'function b 4-4'],
    ['return if a\nx = if b then c end\ny.if\nz.end\ndef d; end', 'function d 5-5'],
    [
      'def self.a; end\ndef b.c; end\ndef d=(e); end\ndef ==(f); end\ndef [](g); end\ndef -@; end\ndef h? = 1\ndef A.i\nend',
      'function a 1-1, function c 2-2, function d= 3-3, function == 4-4, function [] 5-5, function - 6-6, function h? 7-7, function i 8-9',
    ],
    ['while a do b end\nuntil c\n d\nend\nfor e in f do g end\nloop do |h| end\ndef i; end', 'function i 7-7'],
    [
      'def a(b = begin 1 end)\nend\nclass << self\n def c; end\nend\nclass A < B; def d; end; end\nmodule C::D; end',
      'function a 1-2, function c 4-4, class A 6-6, function A/d 6-6, module D 7-7',
    ],
  ])
})

test('Ruby: behind a literal of any form a condition belongs to it, and a slash divides', async t => {
  const literals = [
    '/b/',
    '"b"',
    "'b'",
    '`b`',
    '%w[b]',
    '%r{b}',
    ':b',
    ':"b"',
    ':+',
    '?b',
    '1',
    '[b]',
    '{ b: 1 }',
    '(b)',
  ]
  for (const one of literals) {
    const text = `def a\n  x = ${one} if c\n  y = ${one} unless d\n  z while ${one} / 2\n  e / 3 do\n  end\nend\ndef f\nend`
    t.same(spans('ruby', text), ['function a 1-7', 'function f 8-9'], text)
  }
})

test('Ruby: a = right behind a name belongs to it, with or without a blank in front of the parameter', async t => {
  for (const header of ['name=(v)', 'name= (v)', 'name= v', 'name=v', 'self.name= (v)']) {
    const text = `class A\n  def ${header}\n    @name = v\n  end\n  def b; end\nend\n`
    t.same(spans('ruby', text), ['class A 1-6', 'function A/name= 2-4', 'function A/b 5-5'], header)
  }
  for (const header of ['name = 1', 'name() = 1', 'name()= 1', 'name? = 1', 'name(v) = v', 'name =1']) {
    const name = header.startsWith('name?') ? 'name?' : 'name'
    t.same(spans('ruby', `def ${header}\ndef b; end\n`), [`function ${name} 1-1`, 'function b 2-2'], header)
  }
})
