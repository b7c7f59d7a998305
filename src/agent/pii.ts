declare const pii: unique symbol;

/**
 * Marks personal data in a signature or a field: `lookup(name: Pii<string>)`. The value itself is an ordinary `T`; logs
 * show it masked.
 */
export type Pii<T> = T & { readonly [pii]?: true };
