import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** A program with all that it imports but Node itself. */
export interface BundledProgram {
  /** Text by file name: `<name>.js` first, then a file for each part that is imported when it is needed. */
  readonly files: ReadonlyMap<string, string>;
  /** Who wrote what is in it: name, version and licence of each package. */
  readonly notices: string;
}

/**
 * Bundles a program. It starts twice as fast as hundreds of modules and takes less memory; it is not minified, as that gains nothing
 * more and stack traces stay readable. What is imported when it is needed (jq, CEL, a log for terminals) is in files of its own: V8
 * keeps the text of a file that it has read, which would be 4 MiB of an agent that needs none of them. `outside` are packages that the
 * program can do without: they are resolved when it imports them.
 */
export async function bundleProgram(
  entry: string,
  name: string,
  outside: readonly string[] = [],
): Promise<BundledProgram> {
  const { outputFiles, metafile } = await build({
    entryPoints: { [name]: entry },
    outdir: dirname(entry),
    chunkNames: `${name}.[name]-[hash]`,
    bundle: true,
    splitting: true,
    external: [...outside],
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // ES modules where a package has them: only those lose what is unused.
    mainFields: ['module', 'main'],
    // What is CommonJS among the dependencies asks for Node's modules by `require`.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    plugins: [parsedJson, rxjsAsModules, httpAsObject, reflectMetadataFirst],
    metafile: true,
    write: false,
    logLevel: 'warning',
    absWorkingDir: dirname(entry),
  });
  return {
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), ascii(text)])),
    notices: `${noticesOf(metafile, dirname(entry))}\n`,
  };
}

/** Tables as text: `JSON.parse` needs less time and memory for them than the compiler for the same literal. */
const parsedJson: Plugin = {
  name: 'parsed-json',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { loader: 'js', contents: `export default JSON.parse(${JSON.stringify(text)});` };
    });
  },
};

/** RxJS offers CommonJS to whoever is Node, and is nearly unused by us: the modules are a fifth of it. */
const rxjsAsModules: Plugin = {
  name: 'rxjs-as-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^rxjs$/ }, ({ resolveDir }) => {
      const manifest = createRequire(join(resolveDir, 'from.js')).resolve('rxjs/package.json');
      return { path: join(dirname(manifest), 'dist/esm/index.js'), sideEffects: false };
    });
  },
};

/**
 * Node's modules for HTTP as plain objects. Imported as modules, all that they export is evaluated, and that loads an HTTP
 * client and WebSockets that are not needed: a tenth of a second and 3 MiB.
 */
const httpAsObject: Plugin = {
  name: 'http-as-object',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/ }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace: 'builtin',
    }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
  },
};

/**
 * tsyringe, below @peculiar/x509, ends the program unless reflect-metadata was loaded before it. Whoever imports the two says so by the
 * order of imports, which is lost between files of a program in parts. So tsyringe imports it itself.
 */
const reflectMetadataFirst: Plugin = {
  name: 'reflect-metadata-first',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]tsyringe[/\\]dist[/\\]\w+[/\\]index\.js$/ }, ({ path }) => ({
      contents: `import 'reflect-metadata';\n${readFileSync(path, 'utf8')}`,
    }));
  },
};

/** One letter beyond Latin-1, and V8 keeps the whole source with two bytes a letter. esbuild leaves some in patterns. */
const ascii = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant.
  text.replace(/[^\x00-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

function noticesOf({ inputs }: Metafile, base: string): string {
  const roots = new Set(Object.keys(inputs).flatMap((path) => packageRoot.exec(path)?.[0] ?? []));
  const notices = [...roots].map((root) => {
    const directory = join(base, root);
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return [`${name} ${version} (${license})`, licenceText(directory)].join('\n\n');
  });
  return notices.sort().join(`\n\n${'-'.repeat(80)}\n\n`);
}

const packageRoot = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

function licenceText(directory: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'license.md']) {
    try {
      return readFileSync(join(directory, name), 'utf8').trim();
    } catch {
      // Not under this name.
    }
  }
  return 'The package has no licence file; its package.json names the licence.';
}
