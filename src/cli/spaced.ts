/** A class name as a heading: `ClinicaNorte` is `Clinica Norte`. */
export function spaced(name: string): string {
	return name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ");
}
