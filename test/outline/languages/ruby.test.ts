import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

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
