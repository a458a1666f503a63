/**
 * The source of a built file, both relative to the package. A program in dist/bin/ is bundled from the module of its name, in
 * parts, and has a launcher beside it.
 */
export const sourceOf = (built: string): string =>
  built
    .replace(/^dist\/bin\/(.*?)\.main(\..*)?\.js$/, 'dist/$1.js')
    .replace(/^dist\/(bin\/)?/, 'src/')
    .replace(/\.(js|d\.ts)$/, '.ts');
