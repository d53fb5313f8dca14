"""Puts studies of different positions together, for `scaling --from`: merge.py OUT.json DIR/scaling.json..."""
import json, sys
studies = [json.load(open(name)) for name in sys.argv[2:]]
whole = studies[0]
for number, study in enumerate(studies):
    for entry in study["searched"]:
        entry["id"] = str(number + 1)
    for sample in study["samples"]:
        sample["position"] = str(number + 1)
    if number:
        assert study["costs"] == whole["costs"] and study["seed"] == whole["seed"] and study["hash"] == whole["hash"]
        for key in ("searched", "samples", "left_out"):
            whole[key] += study[key]
        whole["planned"] += study["planned"]
json.dump(whole, open(sys.argv[1], "w"))
