// Checks Kubernetes objects: values against the API's schema, and unknown keys by the types of the same package.
//   node manifest_schema.mjs < objects.json      a copy of this file, beside the node_modules of package.json
// Input: [{"source": "deployment.yaml", "object": {...}}]. One line a finding on standard output; exit 1 when there are any.
import {execFileSync} from "node:child_process";
import {mkdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {fileURLToPath} from "node:url";

const tools = path.dirname(fileURLToPath(import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const entries = JSON.parse(readFileSync(0, "utf8"));
const findings = [];

function module_of({apiVersion, kind}) {
    const name = apiVersion.startsWith("monitoring.coreos.com/") ? "@kubernetes-models/prometheus-operator" : "kubernetes-models";
    return `${name}/${apiVersion}/${kind}`;
}

async function check_values({source, object}) {
    try {
        const {[object.kind]: Kind} = await import(module_of(object));
        new Kind(object).validate();
    } catch (error) {
        findings.push(`${source}: ${object.kind}: ${error.message}`);
    }
}

// An object literal with a key that its type does not have is an error of the compiler.
function check_keys() {
    const directory = path.join(tools, "objects");
    rmSync(directory, {recursive: true, force: true});
    mkdirSync(directory);
    const files = entries.map(({object}, number) => {
        const file = path.join(directory, `object${number}.ts`);
        const text = `import type {I${object.kind}} from "${module_of(object)}";\n` +
            `export const object: I${object.kind} = ${JSON.stringify(object, null, 1)};\n`;
        writeFileSync(file, text);
        return file;
    });
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext",
        "--moduleResolution", "bundler", "--pretty", "false"];
    try {
        execFileSync(process.execPath, [compiler, ...options, ...files], {cwd: tools, encoding: "utf8"});
    } catch (error) {
        for (const line of error.stdout.split("\n").filter((text) => text.trim())) {
            const place = /object(\d+)\.ts/.exec(line);
            findings.push(place ? `${entries[place[1]].source}: ${line}` : `  ${line.trim()}`);
        }
    }
}

for (const entry of entries) {
    await check_values(entry);
}
check_keys();
findings.forEach((finding) => console.log(finding));
process.exitCode = findings.length > 0 ? 1 : 0;
