//! Tables of types and entry points, for the command line and the server of the same program.
//!
//! Their layout is in `runtime/types.h` and `runtime/entries.h`. The functions in them have the same signature for all
//! types, so each is a small wrapper around a function of the API. Shared libraries have other tables of entry points
//! ([`super::bindings`]).

use super::TuningParam;
use super::code::{Code, commas, lines};
use super::entry::{c_function, input_types};
use super::manifest::attribute;
use super::names::{self, quoted};
use super::record::project;
use super::steps::Steps;
use super::sum::{construct, destruct};
use super::types::{FieldDef, Kind, TypeDef, TypeId, Types, VariantDef};
use crate::Mode;
use fehu_ir::Entry;

/// All tables.
pub(super) fn tables(
    types: &Types,
    entries: &[Entry],
    steps: &[Steps<'_>],
    tuning: &[TuningParam],
    mode: Mode,
) -> String {
    let mut out = Tables { types, steps, mode, code: Code::default(), data: String::new() };
    let count = types.list.len();
    let mut described = String::new();
    for (id, ty) in types.list.iter().enumerate() {
        described.push_str(&out.type_entry(id, ty));
    }
    let entry_rows: String =
        entries.iter().enumerate().map(|(i, entry)| out.entry(i, entry, tuning)).collect();
    let pointers = commas(0..count, |id| format!("&fe_types[{id}]"));
    format!(
        "// Types and entry points.\n\
         static const struct fe_type fe_types[{}];\n{}\n{}\n\
         static const struct fe_type fe_types[{}] = {{\n{described}}};\n\n\
         static const struct fe_type *const fe_type_list[] = {{{pointers}{}NULL}};\n\n\
         static const struct {} fe_entries[] = {{\n{entry_rows}  {{.name = NULL}},\n}};\n",
        count.max(1),
        out.code.definitions,
        out.data,
        count.max(1),
        if count == 0 { "" } else { ", " },
        if mode == Mode::Shared { "fehu_entry" } else { "fe_entry" },
    )
}

pub(super) struct Tables<'a> {
    pub(super) types: &'a Types,
    /// Of entry points on sequences.
    pub(super) steps: &'a [Steps<'a>],
    mode: Mode,
    /// Functions.
    pub(super) code: Code,
    /// Lists that the tables point to.
    pub(super) data: String,
}

pub(super) const CTX: &str = "struct futhark_context *ctx";

impl Tables<'_> {
    fn type_entry(&mut self, id: TypeId, ty: &TypeDef) -> String {
        let mut members = vec![format!(".name = {}", quoted(&ty.name))];
        let object = |out: &mut Vec<String>, kind: &str| {
            out.push(format!(".kind = {kind}"));
            out.push(format!(".size = sizeof({})", ty.c_type()));
        };
        match &ty.kind {
            Kind::Prim(prim) => {
                object(&mut members, "FE_PRIM");
                members.push(format!(".prim = &fe_prim_{}", prim.name()));
            }
            Kind::Array { elem, rank } => {
                object(&mut members, "FE_ARRAY");
                members.push(format!(".prim = &fe_prim_{}", elem.name()));
                members.push(format!(".rank = {rank}"));
                members.extend(self.array(ty, names::prim(*elem), *rank));
            }
            Kind::Plain => {
                object(&mut members, "FE_OPAQUE");
                members.extend(self.opaque(ty));
            }
            Kind::Record(fields) => {
                object(&mut members, "FE_OPAQUE");
                members.extend(self.opaque(ty));
                members.push(self.record(id, ty, fields));
            }
            Kind::Sum(variants) => {
                object(&mut members, "FE_OPAQUE");
                members.extend(self.opaque(ty));
                members.push(self.sum(id, ty, variants));
            }
            Kind::OpaqueArray { rank, elem, fields } => {
                object(&mut members, "FE_OPAQUE");
                members.extend(self.opaque(ty));
                members.push(self.opaque_array(id, ty, *rank, *elem, fields));
            }
        }
        let members: String = members.iter().map(|member| format!("    {member},\n")).collect();
        format!("  {{\n{members}  }},\n")
    }

    fn array(&mut self, ty: &TypeDef, elem: &str, rank: usize) -> Vec<String> {
        let (s, name) = (&ty.suffix, &ty.c_name);
        let dims = commas(0..rank, |i| format!("shape[{i}]"));
        let indices = commas(0..rank, |i| format!("indices[{i}]"));
        self.code.private(
            &format!("void *fe_new_{s}({CTX}, const void *data, const int64_t *shape)"),
            &lines!["return futhark_new_{s}(ctx, data, {dims});"],
        );
        self.code.private(
            &format!("void *fe_new_raw_{s}({CTX}, void *data, const int64_t *shape)"),
            &lines!["return futhark_new_raw_{s}(ctx, data, {dims});"],
        );
        self.code.private(
            &format!("void *fe_values_raw_{s}({CTX}, void *array)"),
            &lines!["return futhark_values_raw_{s}(ctx, array);"],
        );
        self.code.private(
            &format!("bool fe_sole_{s}(const void *array)"),
            &lines![
                "const struct fe_block *block = ((const struct {name} *)array)->p0.mem.block;";
                "return block != NULL && block->refs == 1;";
            ],
        );
        self.code.private(
            &format!("int fe_free_{s}({CTX}, void *array)"),
            &lines!["return futhark_free_{s}(ctx, array);"],
        );
        self.code.private(
            &format!("int fe_values_{s}({CTX}, void *array, void *data)"),
            &lines!["return futhark_values_{s}(ctx, array, ({elem} *)data);"],
        );
        self.code.private(
            &format!("const int64_t *fe_shape_{s}({CTX}, void *array)"),
            &lines!["return futhark_shape_{s}(ctx, (struct {name} *)array);"],
        );
        self.code.private(
            &format!("int fe_index_{s}({CTX}, void *out, void *array, const int64_t *indices)"),
            &lines!["return futhark_index_{s}(ctx, out, array, {indices});"],
        );
        lines![
            ".array_new = fe_new_{s}";
            ".array_new_raw = fe_new_raw_{s}";
            ".array_values_raw = fe_values_raw_{s}";
            ".array_sole = fe_sole_{s}";
            ".array_free = fe_free_{s}";
            ".array_values = fe_values_{s}";
            ".array_shape = fe_shape_{s}";
            ".array_index = fe_index_{s}";
        ]
    }

    fn opaque(&mut self, ty: &TypeDef) -> Vec<String> {
        let s = &ty.suffix;
        self.code.private(
            &format!("int fe_free_{s}({CTX}, void *object)"),
            &lines!["return futhark_free_{s}(ctx, object);"],
        );
        self.code.private(
            &format!("int fe_store_{s}({CTX}, const void *object, void **bytes, size_t *size)"),
            &lines!["return futhark_store_{s}(ctx, object, bytes, size);"],
        );
        self.code.private(
            &format!("void *fe_restore_{s}({CTX}, const void *bytes)"),
            &lines!["return futhark_restore_{s}(ctx, bytes);"],
        );
        lines![
            ".opaque_free = fe_free_{s}";
            ".opaque_store = fe_store_{s}";
            ".opaque_restore = fe_restore_{s}";
        ]
    }

    /// A value, given a pointer to where it is.
    pub(super) fn load(&self, id: TypeId, pointer: &str) -> String {
        let ty = self.types.get(id);
        match ty.is_prim() {
            true => format!("*(const {} *){pointer}", ty.c_name),
            false => format!("*(void *const *){pointer}"),
        }
    }

    /// A call of a function that hands values out through pointers, its first arguments. The places where
    /// these values belong hold pointers of type `void *`.
    pub(super) fn call(
        &self,
        function: &str,
        outs: &[(TypeId, String)],
        rest: &str,
    ) -> Vec<String> {
        let mut body = Vec::new();
        let (mut args, mut stores) = (String::new(), Vec::new());
        for (i, (id, out)) in outs.iter().enumerate() {
            let ty = self.types.get(*id);
            if ty.is_prim() {
                args.push_str(&format!(", ({} *){out}", ty.c_name));
            } else {
                body.push(format!("struct {} *object{i} = NULL;", ty.c_name));
                args.push_str(&format!(", &object{i}"));
                stores.push(format!("  *(void **){out} = object{i};"));
            }
        }
        if stores.is_empty() {
            return lines!["return {function}(ctx{args}{rest});"];
        }
        body.push(format!("int code = {function}(ctx{args}{rest});"));
        body.push("if (code == FUTHARK_SUCCESS) {".to_owned());
        body.extend(stores);
        body.extend(lines!["}}"; "return code;"]);
        body
    }

    fn loads(&self, ids: &[TypeId], pointers: &str) -> String {
        let load = |(i, id): (usize, &TypeId)| {
            format!(", {}", self.load(*id, &format!("{pointers}[{i}]")))
        };
        ids.iter().enumerate().map(load).collect()
    }

    /// The list of fields, with a function for each; yields its name.
    fn fields(&mut self, id: TypeId, ty: &TypeDef, fields: &[FieldDef]) -> String {
        let mut rows = String::new();
        for field in fields {
            let function = project(ty, field);
            let thunk = function.replacen("futhark_", "fe_", 1);
            self.code.private(
                &format!("int {thunk}({CTX}, void *out, const void *object)"),
                &self.call(&function, &[(field.ty, "out".to_owned())], ", object"),
            );
            rows.push_str(&format!(
                "  {{{}, &fe_types[{}], {thunk}}},\n",
                quoted(&field.name),
                field.ty
            ));
        }
        // C has no array without elements.
        if fields.is_empty() {
            return "NULL".to_owned();
        }
        self.data
            .push_str(&format!("static const struct fe_field fe_fields_{id}[] = {{\n{rows}}};\n"));
        format!("fe_fields_{id}")
    }

    fn record(&mut self, id: TypeId, ty: &TypeDef, fields: &[FieldDef]) -> String {
        let list = self.fields(id, ty, fields);
        let s = &ty.suffix;
        let ids: Vec<TypeId> = fields.iter().map(|field| field.ty).collect();
        let loads = self.loads(&ids, "fields");
        let unused = if fields.is_empty() { "(void)fields;\n" } else { "" };
        self.code.private(
            &format!("int fe_new_{s}({CTX}, void **out, const void *const *fields)"),
            &lines![
                "{unused}struct {0} *object = NULL;", ty.c_name;
                "int code = futhark_new_{s}(ctx, &object{loads});";
                "*out = object;";
                "return code;";
            ],
        );
        let count = fields.len();
        self.data.push_str(&format!(
            "static const struct fe_record fe_record_{id} = {{{count}, {list}, fe_new_{s}}};\n"
        ));
        format!(".record = &fe_record_{id}")
    }

    fn sum(&mut self, id: TypeId, ty: &TypeDef, variants: &[VariantDef]) -> String {
        let mut rows = String::new();
        for (index, variant) in variants.iter().enumerate() {
            let (make, take) = (construct(ty, variant), destruct(ty, variant));
            let (make_thunk, take_thunk) = (
                make.replacen("futhark_new_", "fe_construct_", 1),
                take.replacen("futhark_", "fe_", 1),
            );
            let unused = if variant.payload.is_empty() { "(void)payload;\n" } else { "" };
            let loads = self.loads(&variant.payload, "payload");
            self.code.private(
                &format!("int {make_thunk}({CTX}, void **out, const void *const *payload)"),
                &lines![
                    "{unused}struct {0} *object = NULL;", ty.c_name;
                    "int code = {make}(ctx, &object{loads});";
                    "*out = object;";
                    "return code;";
                ],
            );
            let outs: Vec<(TypeId, String)> = variant
                .payload
                .iter()
                .enumerate()
                .map(|(i, id)| (*id, format!("outs[{i}]")))
                .collect();
            let mut body = self.call(&take, &outs, ", object");
            if outs.is_empty() {
                body.insert(0, "(void)outs;".to_owned());
            }
            self.code.private(
                &format!("int {take_thunk}({CTX}, void *const *outs, const void *object)"),
                &body,
            );
            let payload = commas(
                variant
                    .payload
                    .iter()
                    .map(|id| format!("&fe_types[{id}]"))
                    .chain(["NULL".to_owned()]),
                std::convert::identity,
            );
            self.data.push_str(&format!(
                "static const struct fe_type *const fe_payload_{id}_{index}[] = {{{payload}}};\n"
            ));
            rows.push_str(&format!(
                "  {{{}, {}, fe_payload_{id}_{index}, {make_thunk}, {take_thunk}}},\n",
                quoted(&variant.name),
                variant.payload.len()
            ));
        }
        let s = &ty.suffix;
        self.code.private(
            &format!("int fe_variant_{s}({CTX}, const void *object)"),
            &lines!["return futhark_variant_{s}(ctx, object);"],
        );
        self.data.push_str(&format!(
            "static const struct fe_variant fe_variants_{id}[] = {{\n{rows}}};\n\
             static const struct fe_sum fe_sum_{id} = {{{}, fe_variants_{id}, fe_variant_{s}}};\n",
            variants.len()
        ));
        format!(".sum = &fe_sum_{id}")
    }

    fn opaque_array(
        &mut self,
        id: TypeId,
        ty: &TypeDef,
        rank: usize,
        elem: TypeId,
        fields: &[FieldDef],
    ) -> String {
        let (s, name) = (&ty.suffix, &ty.c_name);
        let elem_name = &self.types.get(elem).c_name;
        let dims = commas(0..rank, |i| format!("shape[{i}]"));
        let indices = commas(0..rank, |i| format!("indices[{i}]"));
        // The interface takes objects that it does not change as if it could change them.
        self.code.private(
            &format!("const int64_t *fe_shape_{s}({CTX}, const void *object)"),
            &lines!["return futhark_shape_{s}(ctx, (struct {name} *)object);"],
        );
        self.code.private(
            &format!(
                "int fe_index_{s}({CTX}, void *out, const void *object, const int64_t *indices)"
            ),
            &self.call(
                &format!("futhark_index_{s}"),
                &[(elem, "out".to_owned())],
                &format!(", (struct {name} *)object, {indices}"),
            ),
        );
        self.code.private(
            &format!("int fe_new_{s}({CTX}, void **out, const void *const *elems, const int64_t *shape)"),
            &lines![
                "int64_t count = fe_volume(shape, {rank});";
                "struct {elem_name} **objects = malloc((size_t)(count < 0 ? 0 : count) * sizeof *objects + 1);";
                "if (objects == NULL) {{";
                "  return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, \"out of memory: cannot create an array\");";
                "}}";
                "for (int64_t i = 0; i < count; i++) {{";
                "  objects[i] = *(void *const *)elems[i];";
                "}}";
                "struct {name} *object = NULL;";
                "int code = futhark_new_{s}(ctx, &object, objects, {dims});";
                "free(objects);";
                "*out = object;";
                "return code;";
            ],
        );
        self.code.private(
            &format!(
                "int fe_set_{s}({CTX}, void *object, const void *elem, const int64_t *indices)"
            ),
            &lines![
                "return futhark_set_{s}(ctx, object, {0}, {indices});", self.load(elem, "elem");
            ],
        );
        let mut members = lines![
            ".rank = {rank}";
            ".elem = &fe_types[{elem}]";
            ".shape = fe_shape_{s}";
            ".index = fe_index_{s}";
            ".make = fe_new_{s}";
            ".set = fe_set_{s}";
        ];
        if !fields.is_empty() {
            let list = self.fields(id, ty, fields);
            let ids: Vec<TypeId> = fields.iter().map(|field| field.ty).collect();
            let loads = self.loads(&ids, "fields");
            self.code.private(
                &format!("int fe_zip_{s}({CTX}, void **out, const void *const *fields)"),
                &lines![
                    "struct {name} *object = NULL;";
                    "int code = futhark_zip_{s}(ctx, &object{loads});";
                    "*out = object;";
                    "return code;";
                ],
            );
            members.push(format!(".num_fields = {}", fields.len()));
            members.push(format!(".fields = {list}"));
            members.push(format!(".zip = fe_zip_{s}"));
        }
        let members: String = members.iter().map(|member| format!("  {member},\n")).collect();
        self.data.push_str(&format!(
            "static const struct fe_opaque_array fe_opaque_array_{id} = {{\n{members}}};\n"
        ));
        format!(".opaque_array = &fe_opaque_array_{id}")
    }

    fn entry(&mut self, index: usize, entry: &Entry, tuning: &[TuningParam]) -> String {
        let Some(described) = self.described(index, entry) else { return String::new() };
        let more = match self.mode {
            Mode::Shared => self.binding(index, entry, &described),
            Mode::Library | Mode::Executable | Mode::Server => self.own(index, entry, tuning),
        };
        let members = described.members.iter().chain(&more);
        let members: String = members.map(|member| format!("    {member},\n")).collect();
        format!("  {{\n{members}  }},\n")
    }

    /// What all tables say of an entry point: its types, and a function that calls it.
    fn described(&mut self, index: usize, entry: &Entry) -> Option<Described> {
        let (types, function) = (self.types, c_function(entry));
        let (inputs, output) = (input_types(types, entry)?, types.id(&entry.result)?);
        let ids: Vec<TypeId> = entry.params.iter().filter_map(|(_, ty)| types.id(ty)).collect();
        let mut body =
            self.call(&function, &[(output, "out".to_owned())], &self.loads(&ids, "inputs"));
        if inputs.is_empty() {
            body.insert(0, "(void)inputs;".to_owned());
        }
        let thunk = function.replacen("futhark_entry_", "fe_call_", 1);
        self.code
            .private(&format!("int {thunk}({CTX}, void *out, const void *const *inputs)"), &body);
        let names = list(entry.params.iter().map(|(name, _)| quoted(name)), "NULL");
        let input_list = list(ids.iter().map(|id| format!("&fe_types[{id}]")), "NULL");
        let consumed = list(entry.params.iter().map(|(_, ty)| ty.unique().to_string()), "false");
        self.data.push_str(&format!(
            "static const char *const fe_input_names_{index}[] = {{{names}}};\n\
             static const struct fe_type *const fe_inputs_{index}[] = {{{input_list}}};\n\
             static const bool fe_consumed_{index}[] = {{{consumed}}};\n"
        ));
        let members = lines![
            ".name = {0}", quoted(&entry.name);
            ".num_inputs = {0}", inputs.len();
            ".input_names = fe_input_names_{index}";
            ".inputs = fe_inputs_{index}";
            ".consumed = fe_consumed_{index}";
            ".output = &fe_types[{output}]";
            ".fresh = {0}", entry.result.unique();
            ".call = {thunk}";
        ];
        Some(Described { inputs: ids, output, members })
    }

    /// What main() has to know besides.
    fn own(&mut self, index: usize, entry: &Entry, tuning: &[TuningParam]) -> Vec<String> {
        let steps = self.steps.iter().find(|steps| steps.streaming.entry == entry.name);
        let streaming = match steps {
            Some(steps) => super::steps::tables(steps, entry, &mut self.code, &mut self.data),
            None => "NULL".to_owned(),
        };
        let relevant: Vec<String> = tuning
            .iter()
            .enumerate()
            .filter(|(_, param)| param.entries.contains(&entry.name))
            .map(|(i, _)| i.to_string())
            .collect();
        let num_tuning = relevant.len();
        let params = list(relevant.into_iter(), "-1");
        let attrs = list(entry.attrs.iter().map(|attr| quoted(&attribute(attr))), "NULL");
        self.data.push_str(&format!(
            "static const int fe_tuning_params_{index}[] = {{{params}}};\n\
             static const char *const fe_attributes_{index}[] = {{{attrs}}};\n"
        ));
        lines![
            ".num_tuning_params = {num_tuning}";
            ".tuning_params = fe_tuning_params_{index}";
            ".num_attributes = {0}", entry.attrs.len();
            ".attributes = fe_attributes_{index}";
            ".streaming = {0}", streaming;
        ]
    }
}

/// A row for an entry point, and the types of its parameters and of its result.
pub(super) struct Described {
    pub(super) inputs: Vec<TypeId>,
    pub(super) output: TypeId,
    members: Vec<String>,
}

/// A list with one more than there are, since C has no empty arrays.
pub(super) fn list(items: impl Iterator<Item = String>, end: &str) -> String {
    commas(items.chain([end.to_owned()]), std::convert::identity)
}
