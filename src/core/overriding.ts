/**
 * An object with some functions in place of those of another one, which may make its functions as they are asked for,
 * so that they cannot be copied. Neither may need `this`.
 */
export function overriding<T extends object, O extends object>(base: T, own: O): Omit<T, keyof O> & O {
  return new Proxy(base, {
    get: (target, name) => Reflect.get(name in own ? own : target, name) as unknown,
  }) as unknown as Omit<T, keyof O> & O
}
